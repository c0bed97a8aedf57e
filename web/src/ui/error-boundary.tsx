/** A fault of a page stays on that page, and is said in words. Another place begins anew. */
import { Component, type ReactNode } from 'react';
import * as words from '../words/shell.js';
import { ProblemState } from './problem-state.js';

interface ErrorBoundaryProps {
  /** Where the window is. */
  readonly place: string;
  readonly children: ReactNode;
}

export class ErrorBoundary extends Component<
  ErrorBoundaryProps,
  { readonly error: unknown; readonly failed: boolean }
> {
  override state = { error: null as unknown, failed: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, failed: true };
  }

  override componentDidUpdate(before: ErrorBoundaryProps) {
    if (this.state.failed && before.place !== this.props.place) this.setState({ error: null, failed: false });
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    // A chunk of an earlier version is gone after an update: loading the page again brings the new one.
    const isOld = /dynamically imported module|module script/i.test(String(this.state.error));
    return (
      <ProblemState
        title={isOld ? words.updated : words.stoppedWorking}
        error={isOld ? new Error(words.updatedHelp) : this.state.error}
        retryLabel={words.loadAgain}
        retry={() => window.location.reload()}
      />
    );
  }
}
