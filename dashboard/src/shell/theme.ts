import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const name = 'kelpie-theme';

function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** public/theme.js reads it before the first paint. */
function keepTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(name);
    else localStorage.setItem(name, theme);
  } catch {
    // Kept for as long as the page is open, then.
  }
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosenTheme);
  return [
    theme,
    (chosen) => {
      keepTheme(chosen);
      setTheme(chosen);
    },
  ];
}
