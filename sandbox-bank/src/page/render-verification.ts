import { canBeDecided, defaultReasons } from '../verification/acts.ts';
import { pageOf, type KycLink } from '../verification/kyc-link.ts';
import { button, escapeHtml, renderDocument } from './html.ts';
import { stateLabel } from './labels.ts';

const terms = [
  'This is a sandbox bank. No real money moves and no documents are checked.',
  'Accept the terms, then decide yourself how the verification ends.',
];

function renderStatus({ kyc_status: kyc, tos_status: tos, reason }: KycLink): string {
  const tone = kyc === 'approved' ? 'done' : kyc === 'rejected' || kyc === 'offboarded' ? 'trouble' : 'held';
  return `<p>Verification: <span class="state ${tone}">${stateLabel(kyc)}</span></p>
    <p>Terms: ${tos === 'approved' ? '<span class="state done">Accepted</span>' : '<span class="state held">Not accepted yet</span>'}</p>
    ${reason === null ? '' : `<p class="soft">${escapeHtml(reason)}</p>`}`;
}

function renderTerms(link: KycLink): string {
  return `<section><h2>Terms of service</h2>${terms.map((term) => `<p>${term}</p>`).join('')}
    ${link.tos_status === 'approved' ? '<p class="soft">You have accepted the terms.</p>' : button(`${pageOf(link)}/accept-terms`, { text: 'Accept the terms', hint: 'The first step.' })}
  </section>`;
}

const labels = {
  approve: { text: 'Approve', hint: 'The business can go live.' },
  review: { text: 'Keep in review', hint: 'The business waits for a decision.' },
};

function withReason(action: string, label: string, reason: string): string {
  return `<form method="post" action="${action}" class="reason">
    <input name="reason" aria-label="Reason" maxlength="200" required value="${escapeHtml(reason)}" />
    <button>${escapeHtml(label)}</button>
  </form>`;
}

/** One person plays both the business and the bank. */
function renderDecision(link: KycLink): string {
  if (link.tos_status !== 'approved') return renderTerms(link);
  if (!canBeDecided(link)) return '';
  const page = pageOf(link);
  return `<section><h2>Decide as the bank</h2>
    <div class="acts">${button(`${page}/approve`, labels.approve)}${button(`${page}/review`, labels.review)}</div>
    <p class="soft">Or give a reason, which this page shows to the business:</p>
    ${withReason(`${page}/reject`, 'Reject', defaultReasons.reject)}
    ${withReason(`${page}/ask-for-more`, 'Request more information', defaultReasons.askForMore)}
  </section>`;
}

function renderBack({ redirect_uri: back }: KycLink): string {
  return back === null ? '' : `<p><a href="${escapeHtml(back)}">Back to Kelpie</a></p>`;
}

function renderPanels(link: KycLink, panels: string): string {
  const main = `<header><h1>Sandbox bank</h1><span class="soft">Business verification</span></header>
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
