import { classNames } from './class-names.ts';

/** A line of text that is not here yet. */
export function Line({ width, height = 'h-3.5' }: { width: string; height?: string }) {
  return (
    <span aria-hidden="true" className={classNames('skeleton inline-block max-w-full align-middle', width, height)} />
  );
}

/** Names are not all of one length. */
const widths = ['w-44', 'w-36', 'w-52', 'w-40', 'w-48', 'w-32', 'w-56', 'w-28'];

/** The page's own shape while its first figures come. */
export function Rows({ count = 6 }: { count?: number }) {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line border-y border-line">
      {widths.slice(0, count).map((width) => (
        <div key={width} className="flex h-11 items-center justify-between gap-6">
          <Line width={width} />
          <Line width="w-20" />
        </div>
      ))}
    </div>
  );
}
