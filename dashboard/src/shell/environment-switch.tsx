import { Link } from 'react-router';
import { useEnvironment } from '../data/environment.ts';
import type { Environment } from '../data/kelpie.ts';
import { useSession } from '../data/session.ts';
import { classNames } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';

const names: Readonly<Record<Environment, string>> = { sandbox: 'Sandbox', live: 'Live' };
const currentClassNames: Readonly<Record<Environment, string>> = {
  sandbox: 'bg-sandbox text-on-sandbox font-semibold',
  live: 'bg-ink text-ground font-semibold',
};

/** Two places, not two states of one: each is a link to its own overview. */
export function EnvironmentSwitch() {
  const here = useEnvironment();
  const { account } = useSession();
  return (
    <nav aria-label="Environment" className="grid grid-cols-2 gap-1 rounded-md border border-line bg-sunken p-1">
      {(['sandbox', 'live'] as const).map((environment) => (
        <Link
          key={environment}
          to={`/${environment}`}
          aria-current={environment === here ? 'true' : undefined}
          className={classNames(
            'flex h-7 items-center justify-center gap-1.5 rounded-sm text-small max-md:h-9',
            environment === here ? currentClassNames[environment] : 'text-muted hover:text-ink',
          )}
        >
          {environment === 'live' && !account.has_live && <Icon name="lock" size={13} />}
          {names[environment]}
        </Link>
      ))}
    </nav>
  );
}
