// What a person chose to see, before the first paint. shell/theme.ts writes it.
try {
  const theme = localStorage.getItem('kelpie-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing shows what the system asks for.
}
