import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** The token of a link in an email. It is in the fragment, which no server sees, and leaves the address bar at once. */
export function useLinkToken(): string {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token] = useState(() => hash.slice(1));
  useEffect(() => {
    if (hash !== '') void navigate(pathname, { replace: true });
  }, [hash, pathname, navigate]);
  return token;
}
