import { webhookModes } from '../control/webhooks.ts';
import { faultKinds, type Fault } from '../faults.ts';
import { formatPounds } from '../money.ts';
import { canBe, type Act } from '../transfers/acts.ts';
import type { State } from '../transfers/transfer.ts';
import { pageOf } from '../verification/kyc-link.ts';
import { button, escapeHtml, renderDocument } from './html.ts';
import { faultLabels, modeLabels, stateLabel, transferLabels, webhookLabels } from './labels.ts';
import type { ShownDeposit, TopUpPlace } from './newest-deposits.ts';
import type { ShownTransfer } from './newest-transfers.ts';
import type { ShownVerification } from './newest-verifications.ts';
import { renderDeposits, renderTopUps } from './render-funding.ts';

export interface PageContent {
  mode: keyof typeof modeLabels;
  now: Date;
  shiftMs: number;
  webhookMode: string;
  faults: readonly Fault[];
  transfers: readonly ShownTransfer[];
  verifications: readonly ShownVerification[];
  deposits: readonly ShownDeposit[];
  virtualAccounts: readonly TopUpPlace[];
  liquidationAddresses: readonly TopUpPlace[];
}

/** A held transfer is offered its release, not another hold. */
function fits(act: Act, state: State): boolean {
  return canBe(act, state) && !(act === 'hold' && canBe('release', state));
}

/** In the order of a transfer's life. */
const acts: readonly Act[] = ['settle', 'release', 'hold', 'return', 'fail', 'refund', 'cancel'];

/** The CSS class of a state. */
function tone(state: State): string {
  if (state === 'payment_processed') return 'done';
  if (['pending', 'payment_submitted', 'funds_received'].includes(state)) return 'moving';
  if (['awaiting_funds', 'in_review'].includes(state)) return 'held';
  return ['refunded', 'canceled'].includes(state) ? 'soft' : 'trouble';
}

function renderTime(at: Date): string {
  const instant = at.toISOString();
  return `<time datetime="${instant}">${instant.slice(0, 10)} ${instant.slice(11, 19)}</time>`;
}

function renderTransfer({ id, created_at: at, ...transfer }: ShownTransfer): string {
  const fitting = acts.filter((act) => fits(act, transfer.state));
  const visibility = transfer.forgotten ? ('remember' as const) : ('forget' as const);
  const buttons = [...fitting, visibility].map((act) => button(`/page/transfers/${id}/${act}`, transferLabels[act]));
  return `<tr>
      <td>${renderTime(at)}</td>
      <td>${escapeHtml(transfer.reference)}</td>
      <td class="amount">£${formatPounds(transfer.amount_pence)}</td>
      <td>··${escapeHtml(transfer.last_4)}</td>
      <td><span class="state ${tone(transfer.state)}">${stateLabel(transfer.state)}</span>${
        transfer.forgotten ? ' <span class="soft">(hidden)</span>' : ''
      }</td>
      <td class="acts">${buttons.join('')}</td>
    </tr>`;
}

function renderTransfers(transfers: readonly ShownTransfer[]): string {
  if (transfers.length === 0)
    return '<p class="soft">No transfers yet. Create a payout in Kelpie, and its transfer appears here.</p>';
  return `<div class="wide"><table>
    <thead><tr><th>Time (UTC)</th><th>Reference</th><th class="amount">Amount</th><th>Account</th><th>Status</th><th>Actions</th></tr></thead>
    <tbody>${transfers.map(renderTransfer).join('\n')}</tbody>
  </table></div>`;
}

function renderVerification(link: ShownVerification): string {
  return `<tr>
      <td>${renderTime(link.created_at)}</td>
      <td>${escapeHtml(link.full_name)}</td>
      <td>${escapeHtml(link.email)}</td>
      <td>${stateLabel(link.kyc_status)}</td>
      <td>${link.tos_status === 'approved' ? 'Accepted' : 'Not accepted'}</td>
      <td><a href="${pageOf(link)}">Open verification</a></td>
    </tr>`;
}

function renderVerifications(links: readonly ShownVerification[]): string {
  if (links.length === 0) return '';
  return `<h2>Latest business verifications</h2>
    <div class="wide"><table>
    <thead><tr><th>Time (UTC)</th><th>Name</th><th>Email</th><th>Status</th><th>Terms</th><th>Actions</th></tr></thead>
    <tbody>${links.map(renderVerification).join('\n')}</tbody>
  </table></div>`;
}

function renderNewFaults(): string {
  const choices = faultKinds.map(
    (kind) =>
      `<li>${button(`/page/faults/next/${kind}`, faultLabels[kind])}<span class="soft">${faultLabels[kind].hint}</span></li>`,
  );
  return `<p class="soft">Choose what happens to the next transfer that Kelpie sends.</p><ul class="choices">${choices.join('')}</ul>`;
}

function renderFaults(faults: readonly Fault[]): string {
  if (faults.length === 0) return '<p>The bank works normally.</p>';
  const items = faults.map(({ on, kind, times }) => {
    const left = times === null ? 'until cleared' : times === 1 ? 'next request' : `next ${times} requests`;
    return `<li>${faultLabels[kind].text} <span class="soft">(<code>${on}</code>, ${left})</span></li>`;
  });
  return `<p>Active failures:</p><ul>${items.join('')}</ul><div class="acts">${button('/page/faults/clear', { text: 'Clear all', hint: 'The bank works normally again.' })}</div>`;
}

function renderClock(now: Date, shiftMs: number): string {
  const hours = (shiftMs / 3_600_000).toFixed(1);
  const moved = shiftMs === 0 ? 'the real time' : `${hours} h ahead`;
  const moves = ['hour', 'day'].map((by) =>
    button(`/page/clock/${by}`, { text: `Advance 1 ${by}`, hint: 'Only the bank’s clock moves.' }),
  );
  return `<p><time>${now.toISOString().slice(0, 19).replace('T', ' ')}</time> UTC, <span class="soft">${moved}</span></p>
    <div class="acts">${moves.join('')}</div>`;
}

function renderModes({ webhookMode }: PageContent): string {
  const choices = webhookModes.map((mode) =>
    button(`/page/webhooks/${mode}`, webhookLabels[mode], mode === webhookMode ? 'aria-pressed="true"' : ''),
  );
  return `<p class="soft">How the bank delivers webhooks to Kelpie:</p><div class="acts">${choices.join('')}</div>`;
}

export function renderPage(content: PageContent): string {
  const main = `<header><h1>Sandbox bank</h1><span class="soft">${modeLabels[content.mode]}</span><a href="/">Reload</a></header>
    <p class="intro">This page plays the bank behind Kelpie. No real money moves. See what Kelpie sends, send a top-up, and test what happens when something fails.</p>
    <div class="panels">
      <section><h2>Send a top-up</h2>${renderTopUps(content)}</section>
      <section><h2>Webhooks</h2>${renderModes(content)}</section>
      <section><h2>Bank’s clock</h2>${renderClock(content.now, content.shiftMs)}</section>
      <section class="full"><h2>Test a failure</h2>${renderFaults(content.faults)}${renderNewFaults()}</section>
    </div>
    <h2>Latest transfers</h2>
    ${renderTransfers(content.transfers)}
    ${renderDeposits(content.deposits)}
    ${renderVerifications(content.verifications)}`;
  return renderDocument({ title: 'Sandbox bank', main });
}
