import { Component, type ReactNode } from 'react';
import { resetFailedScreens, ScreenNotLoaded } from '../screens/screens.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Problem } from '../ui/problem.tsx';

interface PageFailureProps {
  /** Another path is another attempt. */
  path: string;
  children: ReactNode;
}

interface PageFailureState {
  path: string;
  error: unknown;
  retries: number;
}

/** A page that breaks, or whose script can't be loaded, shows a message in its place. What surrounds it stays. */
export class PageFailure extends Component<PageFailureProps, PageFailureState> {
  override state: PageFailureState = { path: this.props.path, error: undefined, retries: 0 };

  static getDerivedStateFromProps({ path }: PageFailureProps, state: PageFailureState): PageFailureState | null {
    return path === state.path ? null : { path, error: undefined, retries: 0 };
  }

  static getDerivedStateFromError(error: unknown): Pick<PageFailureState, 'error'> {
    return { error };
  }

  override componentDidCatch(): void {
    resetFailedScreens();
  }

  retry = (): void => {
    // A second failure while online means that a release has replaced the script: only a reload finds the new one.
    if (navigator.onLine && this.state.retries > 0) {
      location.reload();
      return;
    }
    this.setState(({ retries }) => ({ error: undefined, retries: retries + 1 }));
  };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="mx-auto w-full max-w-form p-6">
        {error instanceof ScreenNotLoaded ? (
          <div role="alert">
            <Empty title="This page could not be loaded" action={<Button onClick={this.retry}>Try again</Button>}>
              Check your connection, then try again.
            </Empty>
          </div>
        ) : (
          <Problem error={error} title="This page could not be shown." onRetry={() => location.reload()} />
        )}
      </div>
    );
  }
}
