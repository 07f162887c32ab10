import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainName } from './plain-name.ts';

for (const name of [
  '24/7 Couriers Ltd',
  '3 Brothers',
  '7-Eleven',
  'St.John Ambulance',
  'J.P. Morgan & Co. Ltd',
  'J.P.Morgan',
  'A.B.C. Trading (2019) Ltd',
  'Holdings 2023-2024 Ltd',
  'No.1 Payroll',
  'Société Générale S.A.',
  'Studio 54 / Unit 7',
  'Company 12345678 Ltd',
  'Ada Lovelace, 1815–1852',
  '株式会社１２３',
  'e.on',
  'Net.Works Ltd',
])
  test(`${name} is a name`, () => assert(isPlainName(name)));

for (const name of [
  'Kelpie Security: go to https://kelpie-help.example/unlock',
  'kelpie-help.example',
  'Call 020 7946 0000 now',
  'Call 0800 123 now 0800123456',
  '+44 20 7946 0000',
  '(020) 7946-0000',
  '０２０ ７９４６ ００００',
  'www.evil',
  'EVIL.COM',
  'evil．com',
  'Pay at evil.zz/unlock',
  'ada@evil.zz',
  'tel 7946 000 12 3',
])
  test(`${name} is more than a name`, () => assert(!isPlainName(name)));
