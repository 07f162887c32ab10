import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createQueryClient } from './data/query-client.ts';
import { followOtherTabs } from './data/session.ts';
import { prefetchFirstPage } from './shell/prefetch.ts';
import './styles.css';

const queryClient = createQueryClient();
followOtherTabs(queryClient);
void prefetchFirstPage(queryClient, location.pathname);

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <App queryClient={queryClient} />
  </StrictMode>,
);
