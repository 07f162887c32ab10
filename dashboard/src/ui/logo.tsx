/** A single stroke that reads as a wave and a horse's neck. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0 text-tide">
      <path
        d="M3.500 23c4.900 0 6.300-3.900 8.300-8.500C13.900 9.700 16.500 5.500 21 5.500c3.500 0 6 2.500 6 5.300 0 2.200-1.700 3.700-3.800 3.700-3 0-5.200 2.300-5.200 5.300 0 2.700 2.200 4.700 5.200 4.700 2.200 0 4-.7 5.500-1.700"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.800"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2 text-ink">
      <Logo />
      <span className="text-[1.0625rem] font-semibold tracking-[-0.01em]">Kelpie</span>
    </span>
  );
}
