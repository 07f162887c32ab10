import { faultKinds, type Fault } from '../faults.ts';
import { formatPounds } from '../money.ts';
import { canBe, type Act } from '../transfers/acts.ts';
import type { State } from '../transfers/transfer.ts';
import { pageOf } from '../verification/kyc-link.ts';
import { button, escapeHtml, renderDocument } from './html.ts';
import type { ShownDeposit, TopUpPlace } from './newest-deposits.ts';
import type { ShownTransfer } from './newest-transfers.ts';
import type { ShownVerification } from './newest-verifications.ts';
import { renderDeposits, renderTopUps } from './render-funding.ts';

export interface PageContent {
  mode: string;
  now: Date;
  shiftMs: number;
  webhookMode: string;
  webhookModes: readonly string[];
  faults: readonly Fault[];
  transfers: readonly ShownTransfer[];
  verifications: readonly ShownVerification[];
  deposits: readonly ShownDeposit[];
  virtualAccounts: readonly TopUpPlace[];
  liquidationAddresses: readonly TopUpPlace[];
}

/** What is held is offered its release instead of another hold. */
function fits(act: Act, state: State): boolean {
  return canBe(act, state) && !(act === 'hold' && canBe('release', state));
}

/** In the order in which a payment meets them. */
const acts: readonly Act[] = ['settle', 'release', 'hold', 'return', 'fail', 'refund', 'cancel'];

/** What colour a state has: done, on its way, held, over, or in trouble. */
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
  const fitting: string[] = acts.filter((act) => fits(act, transfer.state));
  const buttons = [...fitting, transfer.forgotten ? 'remember' : 'forget'].map((act) =>
    button(`/page/transfers/${id}/${act}`, act),
  );
  return `<tr>
      <td>${renderTime(at)}</td>
      <td>${escapeHtml(transfer.reference)}</td>
      <td class="amount">£${formatPounds(transfer.amount_pence)}</td>
      <td>··${escapeHtml(transfer.last_4)}</td>
      <td><span class="state ${tone(transfer.state)}">${transfer.state.replaceAll('_', ' ')}</span>${
        transfer.forgotten ? ' <span class="soft">forgotten</span>' : ''
      }</td>
      <td class="acts">${buttons.join('')}</td>
    </tr>`;
}

function renderTransfers(transfers: readonly ShownTransfer[]): string {
  if (transfers.length === 0) return '<p class="soft">No transfers yet. They appear here as they are made.</p>';
  return `<div class="wide"><table>
    <thead><tr><th>Time (UTC)</th><th>Reference</th><th class="amount">Amount</th><th>Account</th><th>State</th><th>Actions</th></tr></thead>
    <tbody>${transfers.map(renderTransfer).join('\n')}</tbody>
  </table></div>`;
}

function renderVerification(link: ShownVerification): string {
  return `<tr>
      <td>${renderTime(link.created_at)}</td>
      <td>${escapeHtml(link.full_name)}</td>
      <td>${escapeHtml(link.email)}</td>
      <td>${link.kyc_status.replaceAll('_', ' ')}, terms ${link.tos_status}</td>
      <td><a href="${pageOf(link)}">Open</a></td>
    </tr>`;
}

/** Most days there are none, and then the page does not speak of them. */
function renderVerifications(links: readonly ShownVerification[]): string {
  if (links.length === 0) return '';
  return `<h2>Newest verifications</h2>
    <div class="wide"><table>
    <thead><tr><th>Time (UTC)</th><th>Name</th><th>Email</th><th>Status</th><th>Page</th></tr></thead>
    <tbody>${links.map(renderVerification).join('\n')}</tbody>
  </table></div>`;
}

function renderNewFaults(): string {
  const choices = faultKinds.map((kind) => button(`/page/faults/next/${kind}`, kind.replaceAll('_', ' ')));
  return `<p class="soft">Let the next transfer meet one:</p><div class="acts">${choices.join('')}</div>`;
}

function renderFaults(faults: readonly Fault[]): string {
  if (faults.length === 0) return '<p>None: the bank answers as it should.</p>';
  const items = faults.map(({ on, kind, times }) => {
    const left = times === null ? 'until cleared' : `${times} more`;
    return `<li><code>${kind}</code> on <code>${on}</code>, <span class="soft">${left}</span></li>`;
  });
  return `<ul>${items.join('')}</ul>${button('/page/faults/clear', 'Clear all')}`;
}

function renderClock(now: Date, shiftMs: number): string {
  const hours = (shiftMs / 3_600_000).toFixed(1);
  const moved = shiftMs === 0 ? 'as on this machine' : `moved by ${hours} h`;
  const moves = [
    ['+1 hour', 'hour'],
    ['+1 day', 'day'],
  ] as const;
  return `<p><time>${now.toISOString().slice(0, 19).replace('T', ' ')}</time> <span class="soft">${moved}</span></p>
    <div class="acts">${moves.map(([label, by]) => button(`/page/clock/${by}`, label)).join('')}</div>`;
}

function renderModes({ webhookMode, webhookModes }: PageContent): string {
  const choices = webhookModes.map((mode) =>
    button(`/page/webhooks/${mode}`, mode, mode === webhookMode ? 'aria-pressed="true"' : ''),
  );
  return `<div class="acts">${choices.join('')}</div>`;
}

export function renderPage(content: PageContent): string {
  const main = `<header><h1>Sandbox bank</h1><span class="soft">${escapeHtml(content.mode)}</span><a href="/">Reload</a></header>
    <div class="panels">
      <section><h2>Faults</h2>${renderFaults(content.faults)}${renderNewFaults()}</section>
      <section><h2>Webhooks</h2>${renderModes(content)}</section>
      <section><h2>Clock</h2>${renderClock(content.now, content.shiftMs)}</section>
      <section><h2>Send a top-up</h2>${renderTopUps(content.virtualAccounts, content.liquidationAddresses)}</section>
    </div>
    <h2>Newest transfers</h2>
    ${renderTransfers(content.transfers)}
    ${renderDeposits(content.deposits)}
    ${renderVerifications(content.verifications)}`;
  return renderDocument({ title: 'Sandbox bank', main });
}
