import type { ExceededLimit } from '@kelpie/sdk';
import { Link } from 'react-router';
import { useAddress } from '../../data/environment.ts';
import { formatPounds } from '../../format/money.ts';
import { Timestamp } from '../../ui/timestamp.tsx';

const whose: Readonly<Record<ExceededLimit['limit'], string>> = {
  daily: 'Your daily limit',
  key: 'The daily limit of the API key',
  new_payee: 'The daily limit for a recipient you have not paid before',
};

/** What can still be paid, and from when on more. */
export function LimitLeft({ exceeded }: { exceeded: ExceededLimit }) {
  const address = useAddress();
  return (
    <p>
      {whose[exceeded.limit]} is <span className="figures">{formatPounds(exceeded.limitGbp)}</span>. You can pay{' '}
      <strong className="figures font-medium">{formatPounds(exceeded.leftGbp)}</strong> more until it resets at{' '}
      <Timestamp at={exceeded.resetsAt} />.{' '}
      <Link to={address('/security')} className="font-medium text-tide underline underline-offset-2">
        View limits
      </Link>
    </p>
  );
}
