import { mkdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { controlPayoutAtBank } from './bank.ts';
import { billMonthBefore } from './billed-month.ts';
import { openLive, topUp } from './live.ts';
import { mailedCode } from './mail.ts';
import { operate } from './operator.ts';
import { answerSending, fillPayout, grace, isAtPayout, orderPayout } from './paying.ts';
import { plantPayouts } from './planted-payouts.ts';
import { newAddress, signIn, signUp } from './people.ts';

// Every screen in light and dark, on a phone and on a wide screen: looked at by axe, and kept as a picture to be looked at.

const folder = 'screenshots';
const sizes = [
  { name: '390', width: 390, height: 844 },
  { name: '1440', width: 1440, height: 900 },
];

interface Shot {
  name: string;
  address: string;
  /** What has to be there before the picture is taken. */
  ready: (page: Page) => Promise<void>;
  prepare?: (page: Page) => Promise<void>;
  /** It is what is shown while the rest is on its way. */
  isLoading?: boolean;
  /** Where it is only there on a phone, or only on a wide screen. */
  width?: number;
}

function heading(name: string | RegExp) {
  return async (page: Page): Promise<void> => {
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
  };
}

/** Nothing is on its way any more that would change the picture. */
async function settle(page: Page, isLoading: boolean): Promise<void> {
  await page.evaluate(async () => document.fonts.ready);
  if (!isLoading) await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
  // A colour half way between light and dark has the contrast of neither. Transitions begin with the next frame, so one is waited for first.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect }) => effect?.getComputedTiming().endTime === Infinity),
  );
}

async function judge(page: Page, what: string): Promise<void> {
  // No page of ours has frames, so axe need not open one of its own to gather what it found in each.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`);
  // Softly: one run tells of all screens.
  expect.soft(found, what).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect.soft(overflow, `${what} is wider than its screen`).toBeLessThanOrEqual(0);
}

/** What the browser complains of: a policy that was broken, a script that failed. */
let complaints: string[] = [];

test.beforeEach(({ page }) => {
  complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
});

test.afterEach(() => {
  // What the API refuses, the browser notes too; that is judged elsewhere.
  expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});

/** As it is now, in every look. */
async function take(page: Page, { name, isLoading = false, width }: Omit<Shot, 'address' | 'ready'>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const size of sizes.filter((each) => width === undefined || each.width === width)) {
    await page.setViewportSize(size);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await settle(page, isLoading);
      // What sticks to the top would else stand in the middle of the picture.
      await page.evaluate(() => window.scrollTo(0, 0));
      await judge(page, `${name} ${theme} ${size.name}`);
      const path = `${folder}/${name}-${size.name}-${theme}.png`;
      await page.screenshot({ path, fullPage: true, animations: 'disabled' });
    }
  }
}

async function shoot(page: Page, shots: readonly Shot[]): Promise<void> {
  for (const shot of shots) {
    await page.goto(shot.address);
    await shot.ready(page);
    await shot.prepare?.(page);
    await take(page, shot);
  }
}

const patienceMs = 900_000;

test('the pages before one is signed in', async ({ page }) => {
  test.setTimeout(patienceMs);
  await shoot(page, [
    { name: 'sign-in', address: 'sign-in', ready: heading('Sign in') },
    { name: 'sign-up', address: 'sign-up', ready: heading('Open an account') },
    {
      name: 'sign-in-code',
      address: 'sign-in',
      ready: heading('Sign in'),
      prepare: async (at) => {
        await at.getByLabel('Work email').fill(newAddress('nobody'));
        await at.getByRole('button', { name: 'Mail me a code' }).click();
        await expect(at.getByRole('heading', { name: 'Look at your mail' })).toBeVisible();
      },
    },
  ]);
});

test('the pages of a business that has just begun', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  await shoot(page, [
    { name: 'overview-empty', address: 'sandbox', ready: heading('Overview') },
    { name: 'payouts-empty', address: 'sandbox/payouts', ready: heading('Payouts') },
    { name: 'recipients-empty', address: 'sandbox/recipients', ready: heading('Recipients') },
    { name: 'keys-empty', address: 'sandbox/keys', ready: heading('API keys') },
    { name: 'live-not-open', address: 'live', ready: heading('Live') },
    { name: 'compliance-start', address: 'live/compliance', ready: heading('Compliance') },
    { name: 'invoices-empty', address: 'sandbox/invoices', ready: heading('Invoices') },
    { name: 'deposits-empty', address: 'sandbox/deposits', ready: heading('Top-ups') },
    {
      name: 'statement-empty',
      address: 'sandbox/statement',
      ready: heading('Statement'),
      prepare: async (at) => {
        await at.getByLabel('Month').selectOption({ index: 1 });
        await expect(at.getByText(/^Nothing moved in/)).toBeVisible();
      },
    },
    {
      name: 'compliance-started',
      address: 'live/compliance',
      ready: heading('Compliance'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Start the verification' }).click();
        await expect(at.getByRole('link', { name: 'Go on with the verification' })).toBeVisible();
      },
    },
  ]);
});

test('what is shown while figures come, and where they do not', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  await page.route('**/v1/balance*', async (route) =>
    route.fulfill({
      status: 502,
      headers: { 'request-id': '019a8a11-5b1c-7d44-9c1e-3f5a7b9c0d12' },
      json: { error: { code: 'balance_unavailable', message: 'The balance can not be told right now. Try again.' } },
    }),
  );
  await shoot(page, [
    {
      name: 'overview-trouble',
      address: 'sandbox',
      ready: async (at) => expect(at.getByText('The balance is not known right now.')).toBeVisible(),
    },
  ]);
  await page.unroute('**/v1/balance*');
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
  await page.route(/\/v1\/(balance|usage|payouts|funding|compliance)/, async (route) => {
    await answered;
    await route.abort();
  });
  await shoot(page, [
    {
      name: 'overview-loading',
      address: 'sandbox',
      ready: async (at) => expect(at.getByRole('status', { name: 'Loading' }).first()).toBeVisible(),
      isLoading: true,
    },
  ]);
  answer(undefined);
  // None is broken off by the end of the test.
  await page.unrouteAll({ behavior: 'wait' });
});

test('the pages of somebody with several accounts, who only looks', async ({ page, browser }) => {
  test.setTimeout(patienceMs);
  const { email } = await signUp(page);
  await signUp(page, 'Harbour Books', { email, number: 2 });
  await shoot(page, [{ name: 'accounts', address: 'accounts', ready: heading('Choose an account') }]);
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite a person' }).click();
  const viewer = newAddress('vera');
  await page.getByLabel('Work email').fill(viewer);
  await page.getByRole('button', { name: 'Send the invitation' }).click();
  await expect(page.getByRole('cell', { name: viewer }).first()).toBeVisible();
  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, viewer);
  await shoot(theirs, [
    { name: 'viewer-overview', address: 'sandbox', ready: heading('Overview') },
    { name: 'viewer-keys', address: 'sandbox/keys', ready: heading('API keys') },
    { name: 'viewer-settings', address: 'sandbox/settings', ready: heading('Settings') },
    { name: 'viewer-new-payout', address: 'sandbox/payouts/new', ready: heading('New payout') },
  ]);
});

test('the pages of a business that pays', async ({ page }) => {
  test.setTimeout(patienceMs);
  const { slug } = await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  const completed = await isAtPayout(page);
  await expect(page.getByRole('status').getByText('Completed')).toBeVisible();
  await fillPayout(page, 'sandbox', { ...grace, lastName: 'Rejected', accountNumber: '12340000' });
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  const failed = await isAtPayout(page);
  await topUp(
    { slug, environment: 'sandbox' },
    { amountGbp: '800.00', from: 'Tideway Coffee Ltd', reference: 'Float' },
  );
  await plantPayouts({ slug, count: 400, days: 27 });
  for (const label of ['Shop', 'Payroll']) {
    await page.goto('sandbox/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Label').fill(label);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
  }
  await page.goto('sandbox/team');
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByLabel('Work email').fill(newAddress('vera'));
  await page.getByLabel('Name', { exact: false }).last().fill('Vera Rubin');
  await page.getByRole('button', { name: 'Send the invitation' }).click();
  await shoot(page, [
    { name: 'overview', address: 'sandbox', ready: heading('Overview') },
    {
      name: 'overview-table',
      address: 'sandbox',
      ready: heading('Overview'),
      prepare: async (at) => at.getByRole('button', { name: 'Show a table' }).click(),
    },
    { name: 'payouts', address: 'sandbox/payouts', ready: heading('Payouts') },
    {
      name: 'payouts-filtered',
      address: 'sandbox/payouts?status=failed,returned&period=30d',
      ready: heading('Payouts'),
    },
    { name: 'payouts-none-fit', address: 'sandbox/payouts?search=nowhere', ready: heading('Payouts') },
    { name: 'payout-completed', address: `sandbox/payouts/${completed}`, ready: heading(/£25.00/) },
    { name: 'payout-failed', address: `sandbox/payouts/${failed}`, ready: heading(/£25.00/) },
    {
      name: 'payout-missing',
      address: 'sandbox/payouts/01999999-aaaa-7bbb-8ccc-ddddeeeeffff',
      ready: heading('Payout'),
    },
    {
      name: 'new-payout',
      address: 'sandbox/payouts/new',
      ready: heading('New payout'),
      prepare: async (at) => {
        await at.getByLabel('The recipient receives').fill('1,250.50');
        await at.getByLabel('Reference').fill('Café Zoë invoice 2026/11');
        await expect(at.getByText('The wallet sends')).toBeVisible();
      },
    },
    {
      name: 'new-payout-mistakes',
      address: 'sandbox/payouts/new',
      ready: heading('New payout'),
      prepare: async (at) => at.getByRole('button', { name: 'Review the payout' }).click(),
    },
    { name: 'recipients', address: 'sandbox/recipients', ready: heading('Recipients') },
    {
      name: 'new-payout-again',
      address: 'sandbox/recipients',
      ready: heading('Recipients'),
      prepare: async (at) => {
        await at.getByRole('link', { name: 'Pay again: Grace Hopper' }).first().click();
        await heading('New payout')(at);
        await at.getByLabel('Sort code').fill('0400');
        await at.getByLabel('Account number').fill('87654321');
      },
    },
    {
      name: 'deposits',
      address: 'sandbox/deposits',
      ready: heading('Top-ups'),
      prepare: async (at) =>
        expect(at.getByRole('table', { name: 'Top-ups' }).getByRole('row').nth(1)).toContainText('In the wallet'),
    },
    { name: 'statement', address: 'sandbox/statement', ready: heading('Statement') },
    { name: 'usage', address: 'sandbox/usage', ready: heading('Fees and usage') },
    { name: 'keys', address: 'sandbox/keys', ready: heading('API keys') },
    {
      name: 'keys-create',
      address: 'sandbox/keys',
      ready: heading('API keys'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Create a key' }).click();
        await at.getByLabel('Label').fill('Tests');
        await at.getByRole('button', { name: 'Create the key' }).click();
        await expect(at.getByTestId('secret')).toBeVisible();
      },
    },
    {
      name: 'keys-revoke',
      address: 'sandbox/keys',
      ready: heading('API keys'),
      prepare: async (at) => at.getByRole('button', { name: 'Revoke Shop' }).click(),
    },
    { name: 'developers', address: 'sandbox/developers', ready: heading('Developers') },
    { name: 'team', address: 'sandbox/team', ready: heading('Team') },
    {
      name: 'team-invite',
      address: 'sandbox/team',
      ready: heading('Team'),
      prepare: async (at) => at.getByRole('button', { name: 'Invite a person' }).click(),
    },
    {
      name: 'team-change',
      address: 'sandbox/team',
      ready: heading('Team'),
      prepare: async (at) => at.getByRole('button', { name: 'Change Vera Rubin' }).click(),
    },
    { name: 'compliance', address: 'sandbox/compliance', ready: heading('Compliance') },
    { name: 'activity', address: 'sandbox/activity', ready: heading('Activity') },
    { name: 'settings', address: 'sandbox/settings', ready: heading('Settings') },
    { name: 'not-found', address: 'sandbox/nowhere', ready: heading('Not found') },
    {
      name: 'menu',
      address: 'sandbox',
      ready: heading('Overview'),
      prepare: async (at) => {
        await at.setViewportSize({ width: 390, height: 844 });
        await at.getByRole('button', { name: 'Menu' }).click();
      },
      width: 390,
    },
    {
      name: 'menu-person',
      address: 'sandbox',
      ready: heading('Overview'),
      prepare: async (at) => {
        await at.setViewportSize({ width: 1440, height: 900 });
        await at.getByRole('button', { name: /Ada Byron/ }).click();
      },
      width: 1440,
    },
  ]);
});

function isNow(status: string) {
  return async (page: Page): Promise<void> => {
    await heading(/£25.00/)(page);
    await expect(page.getByRole('status').getByText(status, { exact: true })).toBeVisible();
    await expect(page.getByRole('table', { name: 'Ledger' })).toBeVisible();
  };
}

async function askToCancel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Cancel the payout' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
}

test('what is shown of payouts that do not simply arrive', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  const held = await orderPayout(page, grace);
  await controlPayoutAtBank('sandbox', held, { act: 'hold', state: 'awaiting_funds' });
  const undelivered = await orderPayout(page, { ...grace, lastName: 'Kelly' });
  await controlPayoutAtBank('sandbox', undelivered, { act: 'fail' });
  const returned = await orderPayout(page, { ...grace, lastName: 'Murray' });
  await page.goto(`sandbox/payouts/${returned}`);
  await isNow('Completed')(page);
  await controlPayoutAtBank('sandbox', returned, { act: 'return' });
  const address = `sandbox/payouts/${held}`;
  await shoot(page, [
    { name: 'payout-returned', address: `sandbox/payouts/${returned}`, ready: isNow('Returned') },
    { name: 'payout-undelivered', address: `sandbox/payouts/${undelivered}`, ready: isNow('Failed') },
    { name: 'payout-processing', address, ready: isNow('Processing') },
    { name: 'payout-cancel', address, ready: isNow('Processing'), prepare: askToCancel },
    {
      name: 'payout-cancelled',
      address,
      ready: isNow('Processing'),
      prepare: async (at) => {
        await askToCancel(at);
        await at.getByRole('button', { name: 'Cancel £25.00' }).click();
        await isNow('Cancelled')(at);
        await expect(at.getByRole('dialog')).toHaveCount(0);
      },
    },
  ]);
});

test('what is shown where it is not known whether a payout was made', async ({ page }) => {
  test.setTimeout(patienceMs);
  await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await answerSending(page, 'sandbox', ['lost before it arrived']);
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText('It is not known whether the payout was made.')).toBeVisible();
  await take(page, { name: 'new-payout-unknown' });
  // The browser asks whether one really wants to leave.
  page.once('dialog', (dialog) => void dialog.accept());
  await shoot(page, [
    {
      name: 'new-payout-left',
      address: 'sandbox/payouts/new',
      ready: async (at) => expect(at.getByText('It is not known whether the last payout was made.')).toBeVisible(),
    },
  ]);
});

test('the pages of a business that is suspended', async ({ page }) => {
  test.setTimeout(patienceMs);
  const { slug } = await signUp(page);
  await fillPayout(page, 'sandbox', grace);
  await operate('partners', 'suspend', slug, '--reason', 'to be looked at');
  await page.getByRole('button', { name: 'Send £25.00' }).click();
  await expect(page.getByText('The payout was not sent.')).toBeVisible();
  await take(page, { name: 'suspended-refused' });
  await shoot(page, [
    {
      name: 'suspended-overview',
      address: 'sandbox',
      ready: async (at) => {
        await expect(at.getByText('The balance is not told while the account is suspended.')).toBeVisible();
        await expect(at.getByText('Do not send money to this account: write to us.')).toBeVisible();
      },
    },
    {
      name: 'suspended-top-ups',
      address: 'sandbox/deposits',
      ready: async (at) => expect(at.getByText('Do not send money to this account: write to us.')).toBeVisible(),
    },
    {
      name: 'suspended-new-payout',
      address: 'sandbox/payouts/new',
      ready: async (at) => expect(at.getByText('This account can not pay now')).toBeVisible(),
    },
    {
      name: 'suspended-settings',
      address: 'sandbox/settings',
      ready: async (at) => expect(at.getByText(/^Suspended/).first()).toBeVisible(),
    },
  ]);
});

test('the pages of live', async ({ page }) => {
  test.setTimeout(patienceMs);
  const { slug, email } = await signUp(page);
  await openLive(page, slug);
  await billMonthBefore(slug);
  await fillPayout(page, 'live', { ...grace, amount: '120' });
  await take(page, { name: 'live-review' });
  await page.getByRole('button', { name: 'Send £120.00' }).click();
  await expect(page.getByText(/of real money to/)).toBeVisible();
  await take(page, { name: 'live-confirm' });
  await page.getByLabel('Code from the mail').fill(await mailedCode(email, 2));
  await page.getByRole('button', { name: 'Send £120.00' }).click();
  const paid = await isAtPayout(page);
  await expect(page.getByRole('status').getByText('Completed')).toBeVisible();
  await controlPayoutAtBank('live', paid, { act: 'return' });
  await expect(page.getByRole('status').getByText('Returned', { exact: true })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Ledger' }).getByText('Fee given back').first()).toBeVisible();
  await take(page, { name: 'live-payout-returned' });
  await shoot(page, [
    { name: 'live-overview', address: 'live', ready: heading('Overview') },
    { name: 'live-payouts', address: 'live/payouts', ready: heading('Payouts') },
    { name: 'live-statement', address: 'live/statement', ready: heading('Statement') },
    {
      name: 'live-keys',
      address: 'live/keys',
      ready: heading('API keys'),
      prepare: async (at) => {
        await at.getByRole('button', { name: 'Create a key' }).click();
        await at.getByLabel('Label').fill('Shop');
        await at.getByRole('button', { name: 'Create the key' }).click();
        await at.getByRole('button', { name: 'I have copied it' }).click();
        await expect(at.getByRole('button', { name: 'Revoke Shop' })).toBeVisible();
      },
    },
    { name: 'live-compliance', address: 'live/compliance', ready: heading('Compliance') },
    { name: 'live-usage', address: 'live/usage', ready: heading('Fees and usage') },
    { name: 'live-deposits', address: 'live/deposits', ready: heading('Top-ups') },
    { name: 'live-invoices', address: 'live/invoices', ready: heading('Invoices') },
    {
      name: 'live-invoice',
      address: 'live/invoices',
      ready: heading('Invoices'),
      prepare: async (at) => {
        await at.getByRole('table', { name: 'Invoices' }).getByRole('link').first().click();
        await at.getByRole('button', { name: /Payout fees/ }).click();
        await expect(at.getByRole('table', { name: 'Behind this line' })).toBeVisible();
      },
    },
  ]);
});
