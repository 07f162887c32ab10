-- The bank screens a business when it verifies it, so the function that applies its answer also records the screening.

grant select (screening), update (screening) on kelpie.partners to kelpie_payouts;
