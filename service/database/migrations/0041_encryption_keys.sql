-- Re-encryption of what is stored, under a newer data key (kelpie-admin encryption-keys rotate). The functions of kelpie_payouts
-- replace ciphertexts, and nothing else of a row; triggers hold them to it (kelpie.is_key_rotation).

create policy payouts_encrypt on kelpie.deposits for update to kelpie_payouts using (true) with check (true);
create policy payouts_encrypt on kelpie.known_recipients for update to kelpie_payouts using (true) with check (true);
grant select (id, sender_encrypted), update (sender_encrypted) on kelpie.deposits to kelpie_payouts;
grant update (id_encrypted) on kelpie.known_recipients to kelpie_payouts;
grant update (details_encrypted) on kelpie.funding_sources to kelpie_payouts;
grant update (secret_encrypted, previous_secret_encrypted) on kelpie.webhook_endpoints to kelpie_payouts;
grant select (id, content_encrypted), update (content_encrypted) on kelpie.outgoing_mails to kelpie_payouts;
grant select (id, mail_encrypted, sign_up_encrypted), update (mail_encrypted, sign_up_encrypted) on kelpie.sign_in_codes
  to kelpie_payouts;
grant update (email_encrypted) on kelpie.erasure_requests to kelpie_payouts;

-- Which pepper the digest of the secret is under: 1 is the one that an installation begins with.
alter table kelpie.api_keys add column pepper_version integer not null default 1; -- squawk-ignore prefer-bigint-over-int
grant update (pepper_version) on kelpie.api_keys to kelpie_service;
grant select (pepper_version) on kelpie.api_keys to kelpie_reader;
grant update (secret_hmac, previous_secret_hmac, pepper_version) on kelpie.api_keys to kelpie_access;
