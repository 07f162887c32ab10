import { Component, type ReactNode } from 'react';
import { Problem } from '../ui/problem.tsx';

/** Where a page itself breaks: said in words, in place of a white screen. */
export class PageFailure extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <main className="mx-auto max-w-form p-6">
        <Problem error={this.state.error} title="This page could not be shown." onRetry={() => location.reload()} />
      </main>
    );
  }
}
