/** Confines a page's error to that page and explains it. Navigating to another place resets it. */
import { Component, type ReactNode } from 'react';
import * as words from '../words/shell.js';
import { ProblemState } from './problem-state.js';

interface ErrorBoundaryProps {
  /** The current location. */
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
    // After an update, chunks of the previous version are gone. Reloading the page loads the new ones.
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
