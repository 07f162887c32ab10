-- Writes hundredths of a pound or of a USDC as the API does: 1234 is "12.34".
-- Callers: everyone
create or replace function kelpie.money_text(hundredths bigint) returns text
  language sql immutable strict parallel safe
  return (hundredths / 100)::text || '.' || lpad((hundredths % 100)::text, 2, '0');
