import { useNavigate } from 'react-router';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface PagerProps {
  /** Where this page begins; undefined on the first one. */
  cursor: string | undefined;
  /** Where the next one does; undefined on the last one. */
  next: string | undefined;
  onNext: (cursor: string) => void;
  onFirst: () => void;
  /** What the first page has, and what comes after this one. */
  labels?: { first: string; next: string };
}

const newestFirst = { first: 'Newest', next: 'Older' };

/** Pages are steps of the browser too: back leads to the page before. */
export function Pager({ cursor, next, onNext, onFirst, labels = newestFirst }: PagerProps) {
  const navigate = useNavigate();
  if (cursor === undefined && next === undefined) return null;
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-2">
      <div className="flex gap-2">
        {cursor !== undefined && (
          <>
            <Button onClick={onFirst}>{labels.first}</Button>
            <Button onClick={() => void navigate(-1)}>
              <Icon name="left" />
              Back
            </Button>
          </>
        )}
      </div>
      {next !== undefined && (
        <Button onClick={() => onNext(next)}>
          {labels.next}
          <Icon name="right" />
        </Button>
      )}
    </nav>
  );
}
