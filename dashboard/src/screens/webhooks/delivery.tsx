import type { DeliveryWithAttempts, Event } from '@kelpie/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useEvent } from '../../data/events.ts';
import { useIsAdmin } from '../../data/session.ts';
import { useDelivery } from '../../data/webhooks.ts';
import { pageOf } from '../../format/event-types.ts';
import { deliveryLabels } from '../../format/webhook-labels.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line, Rows } from '../../ui/skeleton.tsx';
import { Marked } from '../../ui/status.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { Attempts } from './attempts.tsx';
import { Redeliver } from './redeliver.tsx';

export function Screen() {
  const { id = '', eventId = '' } = useParams();
  const address = useAddress();
  const delivery = useDelivery({ webhook_id: id, event_id: eventId });
  if (delivery.data !== undefined) return <DeliveryPage key={eventId} delivery={delivery.data} />;
  return (
    <Page title="Delivery" heading={delivery.isError ? 'Delivery' : <Line width="w-56" height="h-6" />}>
      {delivery.isError ? (
        <>
          <Problem
            error={delivery.error}
            title="The delivery could not be loaded."
            onRetry={() => void delivery.refetch()}
          />
          <p>
            <ButtonLink to={address(`/webhooks/${id}`)}>View webhook</ButtonLink>
          </p>
        </>
      ) : (
        <Rows />
      )}
    </Page>
  );
}

function DeliveryPage({ delivery }: { delivery: DeliveryWithAttempts }) {
  const address = useAddress();
  const isAdmin = useIsAdmin();
  const event = useEvent(delivery.event_id);
  const { label, mark } = deliveryLabels[delivery.status];
  return (
    <Page
      title="Delivery"
      heading={
        <span className="grid gap-2">
          <BackLink to={address(`/webhooks/${delivery.webhook_id}`)}>Webhook</BackLink>
          <span className="break-words">{delivery.type}</span>
        </span>
      }
      lead={
        <span role="status">
          <Marked mark={mark}>{label}</Marked>
        </span>
      }
      action={isAdmin && <Redeliver delivery={delivery} />}
    >
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
        <div className="grid min-w-0 content-start gap-8">
          <Section title="Attempts">
            <Attempts attempts={delivery.attempt_log} />
          </Section>
        </div>
        <div className="grid min-w-0 content-start gap-8">
          <Section title="Details">
            <DeliveryFacts delivery={delivery} event={event.data} />
          </Section>
          <Section title="Event">
            <EventJson event={event} />
          </Section>
        </div>
      </div>
    </Page>
  );
}

function EventJson({ event }: { event: UseQueryResult<Event> }) {
  if (event.data !== undefined) return <CodeBlock text={JSON.stringify(event.data, null, 2)} what="Event JSON" />;
  if (!event.isError) return <Rows count={4} />;
  return <Problem error={event.error} title="The event could not be loaded." onRetry={() => void event.refetch()} />;
}

function DeliveryFacts({ delivery, event }: { delivery: DeliveryWithAttempts; event: Event | undefined }) {
  const address = useAddress();
  const { previous_sequence: previous, next_attempt_at: nextAt, event_id: eventId } = delivery;
  const page = event === undefined ? undefined : pageOf(event);
  return (
    <Facts>
      <Fact name="Sequence">
        <span className="figures">{delivery.sequence}</span>
      </Fact>
      <Fact name="Previous sequence at this webhook">
        <span className="figures">{previous ?? 'None: it is the first'}</span>
      </Fact>
      <Fact name="Attempts">
        <span className="figures">{delivery.attempts}</span>
      </Fact>
      {delivery.status === 'pending' && (
        <Fact name="Next attempt">
          {nextAt === null ? 'After an earlier event of the same resource' : <Timestamp at={nextAt} to="second" />}
        </Fact>
      )}
      <Fact name="Created">
        <Timestamp at={delivery.created_at} to="second" />
      </Fact>
      {page !== undefined && (
        <Fact name="About">
          <Link to={address(page.path)} className="text-tide underline underline-offset-2">
            {page.title}
          </Link>
        </Fact>
      )}
      <Fact name="Event ID">
        <span className="inline-flex items-center gap-1.5">
          <code className="font-mono text-small break-all">{eventId}</code>
          <CopyButton text={eventId} what="event ID" />
        </span>
      </Fact>
    </Facts>
  );
}
