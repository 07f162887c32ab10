import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { whenSomebodyReturns } from './data/presence.ts';
import { screens } from './screens/screens.ts';
import { rememberedEnvironment } from './shell/environment-memory.ts';
import { PageFailure } from './shell/page-failure.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { Shell } from './shell/shell.tsx';

export function App({ queryClient }: { queryClient: QueryClient }) {
  useEffect(() => whenSomebodyReturns(() => void queryClient.invalidateQueries()), [queryClient]);
  return (
    <QueryClientProvider client={queryClient}>
      <BrowserRouter basename="/dashboard">
        <PageFailure path="">
          <Suspense fallback={<PageSkeleton />}>
            <Routes>
              <Route index element={<Navigate replace to={`/${rememberedEnvironment()}`} />} />
              <Route path="sign-in" element={<screens.signIn.Screen />} />
              <Route path="sign-up" element={<screens.signUp.Screen />} />
              <Route path="not-me" element={<screens.notMe.Screen />} />
              <Route path="confirm-address" element={<screens.confirmAddress.Screen />} />
              <Route path="accounts" element={<screens.accounts.Screen />} />
              <Route path=":environment" element={<Shell />}>
                <Route index element={<screens.overview.Screen />} />
                <Route path="payouts" element={<screens.payouts.Screen />} />
                <Route path="payouts/new" element={<screens.newPayout.Screen />} />
                <Route path="payouts/:id" element={<screens.payout.Screen />} />
                <Route path="approvals" element={<screens.approvals.Screen />} />
                <Route path="recipients" element={<screens.recipients.Screen />} />
                <Route path="usage" element={<screens.usage.Screen />} />
                <Route path="deposits" element={<screens.deposits.Screen />} />
                <Route path="invoices" element={<screens.invoices.Screen />} />
                <Route path="invoices/:id" element={<screens.invoice.Screen />} />
                <Route path="statement" element={<screens.statement.Screen />} />
                <Route path="keys" element={<screens.keys.Screen />} />
                <Route path="webhooks" element={<screens.webhooks.Screen />} />
                <Route path="webhooks/:id" element={<screens.webhook.Screen />} />
                <Route path="webhooks/:id/deliveries/:eventId" element={<screens.delivery.Screen />} />
                <Route path="events" element={<screens.events.Screen />} />
                <Route path="events/:id" element={<screens.event.Screen />} />
                <Route path="developers" element={<screens.developers.Screen />} />
                <Route path="team" element={<screens.team.Screen />} />
                <Route path="security" element={<screens.security.Screen />} />
                <Route path="compliance" element={<screens.compliance.Screen />} />
                <Route path="activity" element={<screens.activity.Screen />} />
                <Route path="settings" element={<screens.settings.Screen />} />
                <Route path="*" element={<screens.notFound.Screen />} />
              </Route>
            </Routes>
          </Suspense>
        </PageFailure>
      </BrowserRouter>
    </QueryClientProvider>
  );
}
