/** Everything around the pages: theme, queries, routes, dialogs, notifications, and the guard that requires a session. */
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { usePlace, useSearchString } from './navigation.js';
import { dashboardPath, styleNonce } from './page-facts.js';
import { createQueryClient } from './queries.js';
import { AddFactorPage, entrances, NotFoundPage, pages, SignInAgain, SignInPage } from './routes.js';
import { useSession, useSessionWatch } from './session.js';
import { useIsExpired } from './session-expiry.js';
import { cssVariables, theme } from './theme.js';
import { ErrorBoundary } from './ui/error-boundary.js';
import { lazyPart } from './ui/lazy-part.js';
import { LeavePrompt } from './ui/leave-prompt.js';
import { LoadingPage } from './ui/loading.js';
import { ProblemState } from './ui/problem-state.js';
import { Shell } from './ui/shell.js';
import * as common from './words/common.js';
import * as words from './words/shell.js';

const Messages = lazyPart(() => import('./ui/messages.js'), 'Messages');
const queryClient = createQueryClient();

function Guard() {
  const session = useSession();
  const [place] = usePlace();
  const isExpired = useIsExpired();
  const [lacking, setLacking] = useState<string | null>(null);
  useSessionWatch(session.data);
  if (session.isPending) return null;
  if (session.isLoadingError)
    return <ProblemState error={session.error} retry={() => void session.refetch()} />;
  if (session.data === null) return <SignInPage />;
  const { user } = session.data;
  // Stays until the user continues: the page shows recovery codes, which would be lost.
  if (session.data.needs_second_factor && lacking !== user.id) setLacking(user.id);
  if (lacking === user.id)
    return (
      <AddFactorPage
        session={session.data}
        onDone={() => void session.refetch().then(() => setLacking(null))}
      />
    );
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
      <Suspense fallback={null}>
        <SignInAgain opened={isExpired} email={user.email} />
      </Suspense>
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
      // Mantine knows all of them anyway; as a style sheet they would add 4 kB to load.
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>
        <ModalsProvider labels={{ confirm: words.confirm, cancel: common.cancel }}>
          <Suspense fallback={null}>
            <Messages />
          </Suspense>
          <Router base={dashboardPath} hook={usePlace} searchHook={useSearchString}>
            <LeavePrompt />
            <ErrorBoundary place="">
              <Suspense fallback={null}>
                <Switch>
                  {entrances.map(({ path, page: Page }) => (
                    <Route key={path} path={path}>
                      <Page />
                    </Route>
                  ))}
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
