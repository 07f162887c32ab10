import { lazy, Suspense } from 'react';
import { NavLink } from 'react-router';
import { useAddress } from '../data/environment.ts';
import { useSession } from '../data/session.ts';
import { screens, type ScreenName } from '../screens/screens.ts';
import { classNames } from '../ui/class-names.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Wordmark } from '../ui/logo.tsx';
import { whenIdle } from '../ui/when-idle.ts';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { PersonLine } from './person-line.tsx';

/** The menu's script loads after the page: people seldom open it first. */
const PersonMenu = lazy(async () => {
  await whenIdle();
  try {
    return { default: (await import('./person-menu.tsx')).PersonMenu };
  } catch {
    // Without a connection there is no menu, and the page stays.
    return { default: PersonLine };
  }
});

interface Entry {
  path: string;
  title: string;
  icon: IconName;
  screen: ScreenName;
}

const groups: readonly { title: string; entries: readonly Entry[] }[] = [
  {
    title: 'Money',
    entries: [
      { path: '/', title: 'Overview', icon: 'overview', screen: 'overview' },
      { path: '/payouts', title: 'Payouts', icon: 'payouts', screen: 'payouts' },
      { path: '/approvals', title: 'Approvals', icon: 'check', screen: 'approvals' },
      { path: '/recipients', title: 'Recipients', icon: 'recipients', screen: 'recipients' },
      { path: '/deposits', title: 'Top-ups', icon: 'deposits', screen: 'deposits' },
      { path: '/statement', title: 'Statement', icon: 'statement', screen: 'statement' },
      { path: '/usage', title: 'Fees and usage', icon: 'usage', screen: 'usage' },
      { path: '/invoices', title: 'Invoices', icon: 'invoices', screen: 'invoices' },
    ],
  },
  {
    title: 'Build',
    entries: [
      { path: '/keys', title: 'API keys', icon: 'keys', screen: 'keys' },
      { path: '/webhooks', title: 'Webhooks', icon: 'webhooks', screen: 'webhooks' },
      { path: '/events', title: 'Events', icon: 'events', screen: 'events' },
      { path: '/developers', title: 'Developers', icon: 'developers', screen: 'developers' },
      { path: '/activity', title: 'Activity', icon: 'activity', screen: 'activity' },
    ],
  },
  {
    title: 'Business',
    entries: [
      { path: '/team', title: 'Team', icon: 'team', screen: 'team' },
      { path: '/security', title: 'Security', icon: 'lock', screen: 'security' },
      { path: '/compliance', title: 'Compliance', icon: 'compliance', screen: 'compliance' },
      { path: '/settings', title: 'Settings', icon: 'settings', screen: 'settings' },
    ],
  },
];

/** At the left; on a phone it opens over the page, below the top line. */
export function Navigation({ isOpen }: { isOpen: boolean }) {
  const { account } = useSession();
  return (
    <aside
      id="menu"
      className={classNames(
        'w-60 shrink-0 border-r border-line max-md:fixed max-md:inset-x-0 max-md:top-[calc(var(--band)+3.5rem)] max-md:bottom-0 max-md:z-20 max-md:w-full max-md:overflow-y-auto max-md:border-r-0 max-md:bg-raised',
        !isOpen && 'max-md:hidden',
      )}
    >
      <div className="sticky top-(--band) flex flex-col gap-5 p-4 md:h-[calc(100dvh-var(--band))] md:overflow-y-auto md:py-5">
        <div className="px-2 max-md:hidden">
          <Wordmark />
        </div>
        <div className="grid gap-2">
          <p className="truncate px-2 font-medium" title={account.name}>
            {account.name}
          </p>
          <EnvironmentSwitch />
        </div>
        <nav aria-label="Main" className="grid gap-4">
          {groups.map((group) => (
            <ul key={group.title} aria-label={group.title} className="grid gap-0.5">
              {group.entries.map((entry) => (
                <li key={entry.path}>
                  <NavigationLink entry={entry} />
                </li>
              ))}
            </ul>
          ))}
        </nav>
        <div className="mt-auto">
          <Suspense fallback={<PersonLine />}>
            <PersonMenu />
          </Suspense>
        </div>
      </div>
    </aside>
  );
}

function NavigationLink({ entry: { path, title, icon, screen } }: { entry: Entry }) {
  const address = useAddress();
  const preload = (): void => screens[screen].preload();
  return (
    <NavLink
      to={address(path)}
      end={path === '/'}
      onPointerEnter={preload}
      onFocus={preload}
      className={({ isActive }) =>
        classNames(
          'flex h-8 items-center gap-2.5 rounded-md px-2 transition-colors max-md:h-10',
          isActive ? 'bg-tide-wash font-medium text-tide' : 'text-muted hover:bg-hover hover:text-ink',
        )
      }
    >
      <Icon name={icon} />
      {title}
    </NavLink>
  );
}
