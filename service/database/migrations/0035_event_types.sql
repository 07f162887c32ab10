-- Events about more than payouts: deposits, wallets, invoices, API keys, members and the account itself (docs/events.md).

alter type kelpie.event_type add value 'deposit.credited' after 'payout.returned';
alter type kelpie.event_type add value 'deposit.reversed' after 'deposit.credited';
alter type kelpie.event_type add value 'wallet.low' after 'deposit.reversed';
alter type kelpie.event_type add value 'invoice.issued' after 'wallet.low';
alter type kelpie.event_type add value 'invoice.paid' after 'invoice.issued';
alter type kelpie.event_type add value 'invoice.overdue' after 'invoice.paid';
alter type kelpie.event_type add value 'key.created' after 'invoice.overdue';
alter type kelpie.event_type add value 'key.revoked' after 'key.created';
alter type kelpie.event_type add value 'member.added' after 'key.revoked';
alter type kelpie.event_type add value 'member.removed' after 'member.added';
alter type kelpie.event_type add value 'account.paused' after 'member.removed';
alter type kelpie.event_type add value 'account.resumed' after 'account.paused';

-- The resource as the API showed it at that version. Null for payouts: theirs is made of their history.
alter table kelpie.unnumbered_events add column snapshot jsonb;
alter table kelpie.events add column snapshot jsonb;

-- Counts changes of members, whose rows are deleted with them: a version that never falls.
alter table kelpie.partners add column member_changes integer not null default 0; -- squawk-ignore prefer-bigint-over-int
grant select (member_changes), update (member_changes) on kelpie.partners to kelpie_payouts;
grant select (name, created_at, last_login_at) on kelpie.members to kelpie_payouts;

-- How often the partner was notified that the wallet is low.
alter table kelpie.wallet_alerts add column times_notified integer not null default 0; -- squawk-ignore prefer-bigint-over-int
grant update (times_notified) on kelpie.wallet_alerts to kelpie_service;
