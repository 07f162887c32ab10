import type { Webhook } from '@kelpie/sdk';
import { useState } from 'react';
import { useAddress, useEnvironment } from '../../data/environment.ts';
import { useIsAdmin } from '../../data/session.ts';
import { useWebhooks } from '../../data/webhooks.ts';
import { shortUrl, typesLabel, webhookName, webhookStatus } from '../../format/webhook-labels.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Rows } from '../../ui/skeleton.tsx';
import { Marked } from '../../ui/status.tsx';
import { Cell, Row, RowLink, Table } from '../../ui/table.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { CreateWebhook } from './create-webhook.tsx';

const mostWebhooks = 10;

const columns = [
  { title: 'Webhook' },
  { title: 'Status', className: 'max-sm:hidden' },
  { title: 'Events', className: 'max-md:hidden' },
  { title: 'Created', isAmount: true, className: 'max-lg:hidden' },
];

export function Screen() {
  const environment = useEnvironment();
  const isAdmin = useIsAdmin();
  const [isCreating, setCreating] = useState(false);
  const webhooks = useWebhooks();
  const { data, error } = webhooks;
  const isFull = (data?.length ?? 0) >= mostWebhooks;
  return (
    <Page
      title="Webhooks"
      lead={`We post each ${environment} event to your URLs, signed. ${isFull ? 'You have ten webhooks, the maximum. Delete one to create another.' : 'You can have up to ten webhooks.'}`}
      action={
        isAdmin && (
          <Button kind="primary" disabled={isFull} onClick={() => setCreating(true)}>
            <Icon name="plus" />
            Create webhook
          </Button>
        )
      }
    >
      {data === undefined &&
        (error === null ? (
          <Rows count={3} />
        ) : (
          <Problem error={error} title="Webhooks could not be loaded." onRetry={() => void webhooks.refetch()} />
        ))}
      {data?.length === 0 && (
        <Empty title={`No ${environment} webhooks yet`}>
          A webhook tells your server within seconds when a payout changes, so it does not have to poll.{' '}
          {!isAdmin && 'Only an admin can create one.'}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table label="Webhooks" columns={columns}>
          {data.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </Table>
      )}
      <CreateWebhook isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const address = useAddress();
  const { label, mark } = webhookStatus(webhook);
  return (
    <Row isLink>
      <Cell className="max-w-0 w-full sm:w-1/2">
        <div className="grid min-w-0 gap-0.5">
          <span className="truncate">
            <RowLink to={address(`/webhooks/${webhook.id}`)}>{webhookName(webhook)}</RowLink>
          </span>
          <code className="truncate font-mono text-small text-muted">{shortUrl(webhook.url)}</code>
          <span className="text-small sm:hidden">
            <Marked mark={mark}>{label}</Marked>
          </span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <Marked mark={mark}>{label}</Marked>
      </Cell>
      <Cell className="max-md:hidden whitespace-nowrap text-muted">{typesLabel(webhook.types)}</Cell>
      <Cell isAmount className="max-lg:hidden whitespace-nowrap text-muted">
        <Timestamp at={webhook.created_at} />
      </Cell>
    </Row>
  );
}
