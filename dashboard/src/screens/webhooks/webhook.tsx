import type { Webhook } from '@kelpie/sdk';
import { useParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useIsAdmin } from '../../data/session.ts';
import { useWebhook } from '../../data/webhooks.ts';
import { webhookName, webhookStatus } from '../../format/webhook-labels.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line, Rows } from '../../ui/skeleton.tsx';
import { Marked } from '../../ui/status.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { DeleteWebhook } from './delete-webhook.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { RollSecret } from './roll-secret.tsx';
import { SendTest } from './send-test.tsx';
import { SwitchWebhook } from './switch-webhook.tsx';

export function Screen() {
  const id = useParams()['id'] ?? '';
  const address = useAddress();
  const webhook = useWebhook(id);
  if (webhook.data !== undefined) return <WebhookPage key={id} webhook={webhook.data} />;
  return (
    <Page title="Webhook" heading={webhook.isError ? 'Webhook' : <Line width="w-56" height="h-6" />}>
      {webhook.isError ? (
        <>
          <Problem
            error={webhook.error}
            title="The webhook could not be loaded."
            onRetry={() => void webhook.refetch()}
          />
          <p>
            <ButtonLink to={address('/webhooks')}>View webhooks</ButtonLink>
          </p>
        </>
      ) : (
        <Rows />
      )}
    </Page>
  );
}

function WebhookPage({ webhook }: { webhook: Webhook }) {
  const address = useAddress();
  const isAdmin = useIsAdmin();
  const { label, mark } = webhookStatus(webhook);
  return (
    <Page
      title="Webhook"
      heading={
        <span className="grid min-w-0 gap-2">
          <BackLink to={address('/webhooks')}>Webhooks</BackLink>
          <span className="break-words">{webhookName(webhook)}</span>
        </span>
      }
      lead={
        <span role="status">
          <Marked mark={mark}>{label}</Marked>
        </span>
      }
      action={isAdmin && <SendTest webhook={webhook} />}
    >
      <Trouble webhook={webhook} />
      <Section
        title="Details"
        aside={
          isAdmin && (
            <div className="-mx-3.5 flex flex-wrap">
              <EditWebhook webhook={webhook} />
              <RollSecret webhook={webhook} />
              <SwitchWebhook webhook={webhook} />
              <DeleteWebhook webhook={webhook} />
            </div>
          )
        }
      >
        <WebhookFacts webhook={webhook} />
      </Section>
      <Deliveries webhookId={webhook.id} />
    </Page>
  );
}

/** Why nothing arrives, and what to do. */
function Trouble({ webhook }: { webhook: Webhook }) {
  const isAdmin = useIsAdmin();
  const { status, disabled_reason: reason, disabled_at: disabledAt, failing_since: failingSince } = webhook;
  if (status === 'disabled' && disabledAt !== null) {
    return (
      <div className="grid gap-1 rounded-lg border border-returned/30 bg-returned-wash p-4">
        <p className="font-medium text-returned">
          {reason === 'failing' ? 'We disabled this webhook' : 'Disabled'} on <Timestamp at={disabledAt} />
          {reason === 'failing' && ', after 3 days without a successful attempt'}.
        </p>
        <p>
          Events since then are left out.{' '}
          {isAdmin
            ? `${reason === 'failing' ? 'Fix your endpoint, enable' : 'Enable'} the webhook, then redeliver what it missed.`
            : 'An admin can enable it, and redeliver what it missed.'}
        </p>
      </div>
    );
  }
  if (failingSince === null) return null;
  return (
    <div className="grid gap-1 rounded-lg border border-failed/30 bg-failed-wash p-4">
      <p className="font-medium text-failed">
        Every attempt since <Timestamp at={failingSince} /> has failed.
      </p>
      <p>We try again for 3 days, then we disable the webhook and email all admins. The deliveries below say why.</p>
    </div>
  );
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { url, types, created_at: createdAt, previous_secret_expires_at: previousUntil, id } = webhook;
  return (
    <Facts>
      <Fact name="URL">
        <span className="inline-flex items-center gap-1.5">
          <code className="font-mono text-small break-all">{url}</code>
          <CopyButton text={url} what="URL" />
        </span>
      </Fact>
      <Fact name="Events">{types === null ? 'All, including types that we add later' : types.join(', ')}</Fact>
      {previousUntil !== null && (
        <Fact name="Previous secret">
          Signs too until <Timestamp at={previousUntil} />
        </Fact>
      )}
      <Fact name="Created">
        <Timestamp at={createdAt} />
      </Fact>
      <Fact name="Webhook ID">
        <span className="inline-flex items-center gap-1.5">
          <code className="font-mono text-small break-all">{id}</code>
          <CopyButton text={id} what="webhook ID" />
        </span>
      </Fact>
    </Facts>
  );
}
