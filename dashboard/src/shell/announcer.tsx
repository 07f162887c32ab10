import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';

/** The page names itself once it is there. */
const afterMs = 400;

/** Says the name of a new page to who listens: the browser does so only for pages that it loads itself. */
export function Announcer() {
  const { pathname } = useLocation();
  const [said, setSaid] = useState({ pathname, title: '' });
  useEffect(() => {
    const timer = setTimeout(() => setSaid({ pathname, title: document.title }), afterMs);
    return () => clearTimeout(timer);
  }, [pathname]);
  return (
    <p aria-live="polite" className="sr-only">
      {said.title}
    </p>
  );
}
