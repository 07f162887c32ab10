import { Button as AriaButton } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { useEndSession, useSession } from '../data/session.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { Person, personClassName } from './person-line.tsx';
import { useTheme, type Theme } from './theme.ts';

const themes: readonly { theme: Theme; title: string; icon: IconName }[] = [
  { theme: 'system', title: 'System', icon: 'system' },
  { theme: 'light', title: 'Light', icon: 'sun' },
  { theme: 'dark', title: 'Dark', icon: 'moon' },
];

const itemClassName =
  'flex h-9 items-center gap-2.5 rounded-sm px-2.5 outline-none data-[focused]:bg-hover data-[focused]:text-ink text-muted';

export function PersonMenu() {
  const [theme, setTheme] = useTheme();
  const ending = useMutation({ mutationFn: useEndSession() });
  const navigate = useNavigate();
  const { support_email: supportEmail } = useSession();
  return (
    <>
      {ending.error !== null && (
        <div className="fixed inset-x-4 top-[calc(var(--band)+1rem)] z-40 mx-auto max-w-form bg-ground shadow-float">
          <Problem error={ending.error} title="You are still signed in." onRetry={() => ending.mutate()} />
        </div>
      )}
      <MenuTrigger>
        <AriaButton className={`${personClassName} hover:bg-hover`}>
          <Person />
        </AriaButton>
        <Popover placement="top start" className="w-56 rounded-lg border border-line bg-raised p-1 shadow-float">
          <Menu
            aria-label="Your account"
            className="outline-none"
            onAction={(key) => {
              const chosen = themes.find((entry) => entry.theme === key);
              if (chosen !== undefined) setTheme(chosen.theme);
              else if (key === 'accounts') void navigate('/accounts');
              else if (key === 'support') location.assign(`mailto:${supportEmail}`);
              else ending.mutate();
            }}
          >
            {themes.map((entry) => (
              <MenuItem key={entry.theme} id={entry.theme} textValue={entry.title} className={itemClassName}>
                <Icon name={entry.icon} />
                {entry.title}
                {entry.theme === theme && (
                  <span className="ml-auto text-tide">
                    <Icon name="check" />
                    <span className="sr-only">selected</span>
                  </span>
                )}
              </MenuItem>
            ))}
            <MenuItem id="accounts" textValue="Switch account" className={`${itemClassName} mt-1 border-t border-line`}>
              <Icon name="accounts" />
              Switch account
            </MenuItem>
            <MenuItem id="support" textValue="Contact support" className={itemClassName}>
              <Icon name="mail" />
              Contact support
            </MenuItem>
            <MenuItem id="sign-out" textValue="Sign out" className={itemClassName}>
              <Icon name="signOut" />
              Sign out
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
    </>
  );
}
