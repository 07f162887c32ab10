import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useAddress, useEnvironment, useKelpie } from '../../data/environment.ts';
import { liveEvery } from '../../data/presence.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import type { SentOrder } from './sent-order.ts';

/** By then whatever was sent has arrived: the API gives up on a request long before. */
const arrivedAfterMs = 120_000;

interface UnresolvedPayoutProps {
  unresolved: SentOrder;
  /** Whether the form still has what was sent. */
  isKept: boolean;
  isSending: boolean;
  onSettled: () => void;
}

/** What was sent before somebody left, and nobody knows of: it is looked for by its key, and nothing else goes before it. */
export function UnresolvedPayout({ unresolved, isKept, isSending, onSettled }: UnresolvedPayoutProps) {
  const address = useAddress();
  const kelpie = useKelpie();
  const found = useQuery({
    queryKey: [useEnvironment(), 'unresolved-payout', unresolved.key],
    queryFn: async ({ signal }) =>
      (await kelpie.payouts.list({ idempotency_key: unresolved.key }, { signal })).data[0] ?? null,
    refetchInterval: liveEvery(4_000),
  });
  const payout = found.data;
  // While it is being made the API says so by an error, and what was found before that counts no more.
  const isDecided = payout === null && !found.isError && found.dataUpdatedAt - unresolved.sentAtMs > arrivedAfterMs;
  return (
    <section
      role="alert"
      aria-label="A payout that was sent before"
      className="mb-8 grid gap-2 rounded-lg border border-returned/40 bg-returned-wash p-4"
    >
      <p className="flex items-center gap-2 font-medium text-returned">
        <Icon name="warning" />
        {payout ? 'The payout that you sent before was made.' : 'It is not known whether the last payout was made.'}
      </p>
      {payout ? (
        <p>
          <Link
            to={address(`/payouts/${payout.id}`)}
            className="font-medium text-tide underline underline-offset-2"
            onClick={onSettled}
          >
            See it
          </Link>{' '}
          before you send another one.
        </p>
      ) : (
        <p>
          It was sent <Timestamp at={new Date(unresolved.sentAtMs).toISOString()} />, and no answer came.{' '}
          {isKept
            ? 'Its details are below: review and send the same again, and the recipient is not paid twice.'
            : 'Fill in exactly the same and send it again: the recipient is not paid twice.'}{' '}
          Or{' '}
          <Link to={address('/payouts')} className="font-medium text-tide underline underline-offset-2">
            look in the list
          </Link>
          .
        </p>
      )}
      {(payout || isDecided) && (
        <div>
          <Button onClick={onSettled} disabled={isSending}>
            {payout ? 'Begin another payout' : 'It is not in the list: begin another payout'}
          </Button>
        </div>
      )}
    </section>
  );
}
