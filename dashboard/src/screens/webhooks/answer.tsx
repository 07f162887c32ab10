import { CodeBlock } from '../../ui/code-block.tsx';
import { isAccepted, outcomeLabel } from '../../format/webhook-labels.ts';
import { Marked } from '../../ui/status.tsx';

interface AnswerProps {
  answer: {
    status_code: number | null;
    failure: string | null;
    latency_ms: number;
    headers: Record<string, string> | null;
    body: string | null;
  };
}

/** The status of an answer, or why there was none, and how long it took. */
export function Outcome({ answer }: { answer: Omit<AnswerProps['answer'], 'headers' | 'body'> }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Marked mark={isAccepted(answer) ? 'completed' : 'failed'}>{outcomeLabel(answer)}</Marked>
      <span className="figures text-muted">in {answer.latency_ms.toLocaleString('en-GB')} ms</span>
    </span>
  );
}

/** What a URL answered: its headers, and how its body begins. */
export function Answer({ answer: { headers, body, status_code: status } }: AnswerProps) {
  if (status === null) return <p className="text-muted">There was no answer.</p>;
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="grid min-w-0 gap-3">
      {lines.length > 0 && <CodeBlock text={lines.join('\n')} what="Response headers" />}
      {body === null || body === '' ? (
        <p className="text-muted">The answer had no body.</p>
      ) : (
        <CodeBlock text={body} what="Response body" />
      )}
    </div>
  );
}
