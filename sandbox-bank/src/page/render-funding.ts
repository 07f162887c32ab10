import { canDepositBe, depositActs } from '../funding/acts.ts';
import type { DepositState } from '../funding/deposit.ts';
import { formatPounds, formatUsdc } from '../money.ts';
import { button, escapeHtml } from './html.ts';
import { depositLabels, stateLabel } from './labels.ts';
import type { ShownDeposit, TopUpPlace } from './newest-deposits.ts';

interface TopUpForm {
  action: string;
  title: string;
  places: readonly TopUpPlace[];
  unit: string;
  /** Markup of further fields. */
  more: string;
}

function renderForm({ action, title, places, unit, more }: TopUpForm): string {
  const options = places.map(
    ({ id, holder, mark }) => `<option value="${id}">${escapeHtml(holder)} ${escapeHtml(mark)}</option>`,
  );
  return `<form method="post" action="${action}" class="top-up">
    <h3>${title}</h3>
    <label>To <select name="place">${options.join('')}</select></label>
    <label>${unit} <input name="amount" inputmode="decimal" required pattern="[0-9]{1,9}([.][0-9]{1,2})?" value="100.00" /></label>
    ${more}<button>Send top-up</button>
  </form>`;
}

const aboutSender = `<label>From <input name="sender_name" maxlength="80" required value="Ada Byron" /></label>
    <label>Reference <input name="reference" maxlength="18" required value="Top-up" /></label>
    `;

interface TopUps {
  mode: 'sandbox' | 'live-stand-in';
  virtualAccounts: readonly TopUpPlace[];
  liquidationAddresses: readonly TopUpPlace[];
}

const noTopUps = {
  sandbox: 'No account to top up yet. Sign up in Kelpie, and it appears here within a minute.',
  'live-stand-in': 'No account to top up yet. Approve a business verification, and it appears here within a minute.',
} as const;

/** Plays a partner that tops up its wallet. */
export function renderTopUps({ mode, virtualAccounts: accounts, liquidationAddresses: addresses }: TopUps): string {
  if (accounts.length === 0 && addresses.length === 0) return `<p class="soft">${noTopUps[mode]}</p>`;
  const byBank = { action: '/page/top-ups/gbp', title: 'Bank transfer', places: accounts, unit: '£' };
  const byTokens = { action: '/page/top-ups/usdc', title: 'USDC', places: addresses, unit: 'USDC' };
  return [
    ...(accounts.length === 0 ? [] : [renderForm({ ...byBank, more: aboutSender })]),
    ...(addresses.length === 0 ? [] : [renderForm({ ...byTokens, more: '' })]),
  ].join('');
}

function tone(state: DepositState): string {
  if (state === 'payment_processed') return 'done';
  if (state === 'in_review') return 'held';
  return state === 'refunded' || state === 'error' ? 'trouble' : 'moving';
}

function renderSent({ sent_pence: pence, sent_micro_usdc: microUsdc }: ShownDeposit): string {
  return pence === null ? `${formatUsdc(microUsdc ?? 0n)} USDC` : `£${formatPounds(pence)}`;
}

function renderDeposit(deposit: ShownDeposit): string {
  const { id, state, forgotten } = deposit;
  const fitting = depositActs.filter((act) => canDepositBe(act, state));
  const visibility = forgotten ? ('remember' as const) : ('forget' as const);
  const buttons = [...fitting, visibility].map((act) => button(`/page/deposits/${id}/${act}`, depositLabels[act]));
  return `<tr>
      <td>${deposit.created_at.toISOString().slice(0, 19).replace('T', ' ')}</td>
      <td>${escapeHtml(deposit.holder)}</td>
      <td class="amount">${renderSent(deposit)}</td>
      <td class="amount">${formatUsdc(deposit.net_micro_usdc)} USDC</td>
      <td>${escapeHtml(deposit.reference ?? '')}</td>
      <td><span class="state ${tone(state)}">${stateLabel(state)}</span>${
        forgotten ? ' <span class="soft">(hidden)</span>' : ''
      }</td>
      <td class="acts">${buttons.join('')}</td>
    </tr>`;
}

export function renderDeposits(deposits: readonly ShownDeposit[]): string {
  if (deposits.length === 0) return '';
  return `<h2>Latest top-ups</h2>
    <div class="wide"><table>
    <thead><tr><th>Time (UTC)</th><th>Customer</th><th class="amount">Sent</th><th class="amount">Wallet credit</th><th>Reference</th><th>Status</th><th>Actions</th></tr></thead>
    <tbody>${deposits.map(renderDeposit).join('\n')}</tbody>
  </table></div>`;
}
