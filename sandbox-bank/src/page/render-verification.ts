import { canBeDecided, defaultReasons } from '../verification/acts.ts';
import { pageOf, type KycLink } from '../verification/kyc-link.ts';
import { button, escapeHtml, renderDocument } from './html.ts';

const terms = [
  'This bank is a sandbox: no money moves, and nobody reads what you send.',
  'It may approve you, refuse you or ask for more, whenever somebody presses the button for it.',
];

function renderStatus({ kyc_status: kyc, tos_status: tos, reason }: KycLink): string {
  const tone = kyc === 'approved' ? 'done' : kyc === 'rejected' || kyc === 'offboarded' ? 'trouble' : 'held';
  return `<p>Verification: <span class="state ${tone}">${kyc.replaceAll('_', ' ')}</span></p>
    <p>Terms: ${tos === 'approved' ? '<span class="state done">accepted</span>' : '<span class="state held">not accepted yet</span>'}</p>
    ${reason === null ? '' : `<p class="soft">${escapeHtml(reason)}</p>`}`;
}

function renderTerms(link: KycLink): string {
  return `<section><h2>Terms of service</h2>${terms.map((term) => `<p>${term}</p>`).join('')}
    ${link.tos_status === 'approved' ? '<p class="soft">You have accepted them.</p>' : button(`${pageOf(link)}/accept-terms`, 'Accept the terms')}
  </section>`;
}

function withReason(action: string, label: string, reason: string): string {
  return `<form method="post" action="${action}" class="reason">
    <input name="reason" aria-label="Reason" maxlength="200" required value="${escapeHtml(reason)}" />
    <button>${escapeHtml(label)}</button>
  </form>`;
}

/** The person plays both parts: the business that sends its papers, and the bank that looks at them. */
function renderDecision(link: KycLink): string {
  if (link.tos_status !== 'approved') return renderTerms(link);
  if (!canBeDecided(link)) return '';
  const page = pageOf(link);
  return `<section><h2>What does the bank say?</h2>
    <div class="acts">${button(`${page}/approve`, 'Approve')}${button(`${page}/review`, 'Keep under review')}</div>
    ${withReason(`${page}/reject`, 'Refuse', defaultReasons.reject)}
    ${withReason(`${page}/ask-for-more`, 'Ask for more', defaultReasons.askForMore)}
  </section>`;
}

function renderBack({ redirect_uri: back }: KycLink): string {
  return back === null ? '' : `<p><a href="${escapeHtml(back)}">Back to where you came from</a></p>`;
}

function renderPanels(link: KycLink, panels: string): string {
  const main = `<header><h1>Sandbox bank</h1><span class="soft">business verification</span></header>
    <div class="panels">
      <section><h2>${escapeHtml(link.full_name)}</h2><p class="soft">${escapeHtml(link.email)}</p>${renderStatus(link)}</section>
      ${panels}
    </div>
    ${renderBack(link)}`;
  return renderDocument({ title: `Verification of ${link.full_name}`, main });
}

/** Behind `kyc_link`. */
export function renderVerificationPage(link: KycLink): string {
  return renderPanels(link, renderDecision(link));
}

/** Behind `tos_link`. */
export function renderTermsPage(link: KycLink): string {
  return renderPanels(link, renderTerms(link));
}
