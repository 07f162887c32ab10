import { Line, Rows } from '../ui/skeleton.tsx';

export function PageSkeleton() {
  return (
    <div className="mx-auto grid w-full max-w-content gap-8 px-4 py-8 sm:px-8">
      <Line width="w-40" height="h-6" />
      <Rows />
    </div>
  );
}
