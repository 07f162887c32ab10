import type { Event } from '@kelpie/sdk';
import { Link, useParams } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { useEvent } from '../../data/events.ts';
import { eventLabel, pageOf } from '../../format/event-types.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Line, Rows } from '../../ui/skeleton.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';

export function Screen() {
  const id = useParams()['id'] ?? '';
  const address = useAddress();
  const event = useEvent(id);
  if (event.data !== undefined) return <EventPage event={event.data} />;
  return (
    <Page title="Event" heading={event.isError ? 'Event' : <Line width="w-56" height="h-6" />}>
      {event.isError ? (
        <>
          <Problem error={event.error} title="The event could not be loaded." onRetry={() => void event.refetch()} />
          <p>
            <ButtonLink to={address('/events')}>View events</ButtonLink>
          </p>
        </>
      ) : (
        <Rows />
      )}
    </Page>
  );
}

function EventPage({ event }: { event: Event }) {
  const address = useAddress();
  const page = pageOf(event);
  return (
    <Page
      title="Event"
      heading={
        <span className="grid gap-2">
          <BackLink to={address('/events')}>Events</BackLink>
          {eventLabel(event.type)}
        </span>
      }
    >
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <Section title="JSON">
          <CodeBlock text={JSON.stringify(event, null, 2)} what="Event JSON" />
        </Section>
        <Section title="Details">
          <Facts>
            <Fact name="Type">
              <code className="font-mono text-small">{event.type}</code>
            </Fact>
            <Fact name="Sequence">
              <span className="figures">{event.sequence}</span>
            </Fact>
            <Fact name="Time">
              <Timestamp at={event.created_at} to="second" />
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
                <code className="font-mono text-small break-all">{event.id}</code>
                <CopyButton text={event.id} what="event ID" />
              </span>
            </Fact>
          </Facts>
        </Section>
      </div>
    </Page>
  );
}
