/** What stands around every page: looks, queries, routes, dialogs, notifications, and the guard that asks who is there. */
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { usePlace, useSearchString } from './navigation.js';
import { dashboardPath, styleNonce } from './page-facts.js';
import { SignInAgain } from './pages/sign-in/sign-in-again.js';
import { createQueryClient } from './queries.js';
import { NotFoundPage, pages, SetupPage, SignInPage } from './routes.js';
import { useSession, useSessionWatch } from './session.js';
import { useIsExpired } from './session-expiry.js';
import { cssVariables, theme } from './theme.js';
import { ErrorBoundary } from './ui/error-boundary.js';
import { LeavePrompt } from './ui/leave-prompt.js';
import { LoadingPage } from './ui/loading.js';
import { ProblemState } from './ui/problem-state.js';
import { Shell } from './ui/shell.js';

const queryClient = createQueryClient();

function Guard() {
  const session = useSession();
  const [place] = usePlace();
  const isExpired = useIsExpired();
  useSessionWatch(session.data);
  if (session.isPending) return null;
  if (session.isLoadingError)
    return <ProblemState error={session.error} retry={() => void session.refetch()} />;
  if (session.data === null) return <SignInPage />;
  return (
    <Shell session={session.data}>
      <ErrorBoundary place={place}>
        <Suspense fallback={<LoadingPage />}>
          <Switch>
            {pages.map(({ path, page: Page }) => (
              <Route key={path} path={path}>
                {(params) => <Page params={params as Readonly<Record<string, string>>} />}
              </Route>
            ))}
            <Route path="/sign-in">
              <Redirect to="/" replace />
            </Route>
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
      <SignInAgain opened={isExpired} email={session.data.user.email} />
    </Shell>
  );
}

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <ModalsProvider labels={{ confirm: 'Confirm', cancel: 'Cancel' }}>
          <Notifications position="bottom-right" autoClose={5000} />
          <Router base={dashboardPath} hook={usePlace} searchHook={useSearchString}>
            <LeavePrompt />
            <ErrorBoundary place="">
              <Suspense fallback={null}>
                <Switch>
                  <Route path="/setup">
                    <SetupPage />
                  </Route>
                  <Route>
                    <Guard />
                  </Route>
                </Switch>
              </Suspense>
            </ErrorBoundary>
          </Router>
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
