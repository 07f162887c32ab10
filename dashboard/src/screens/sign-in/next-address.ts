/** The dashboard page to open after sign-in. Anything else becomes the start page. */
export function nextAddress(search: URLSearchParams): string {
  const next = search.get('next') ?? '';
  return /^\/(sandbox|live)(\/[\w/-]*)?(\?[\w=&%.+-]*)?$/.test(next) ? next : '/';
}

/** Which account a link is about, as that of an invitation. */
export function namedAccount(search: URLSearchParams): string | undefined {
  const slug = search.get('account') ?? '';
  return /^[a-z0-9-]{2,40}$/.test(slug) ? slug : undefined;
}

/** Where one of several accounts is chosen, which one a link was about, and what is shown of it then. */
export function accountsAddress(search: URLSearchParams): string {
  const next = nextAddress(search);
  const account = namedAccount(search);
  const kept = new URLSearchParams({
    ...(next === '/' ? {} : { next }),
    ...(account === undefined ? {} : { account }),
  });
  return kept.size === 0 ? '/accounts' : `/accounts?${kept.toString()}`;
}
