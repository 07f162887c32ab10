// The few marks that the dashboard uses, drawn on a grid of 16.
const paths = {
  overview: 'M2.500 8.500 8 3l5.500 5.500M4 7.500V13h3v-3h2v3h3V7.500',
  payouts: 'M2.500 6h9M9 3.500 11.500 6 9 8.500M13.500 10h-9M7 7.500 4.500 10 7 12.500',
  recipients: 'M8 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5ZM3 13.500c.4-2.600 2.400-4 5-4s4.600 1.400 5 4',
  usage: 'M3 13V8.500M8 13V3M13 13V6',
  invoices: 'M4 2.500h8v11l-2-1.300-2 1.300-2-1.300-2 1.300zM6.500 6h3M6.500 8.500h3',
  keys: 'M9.800 6.200a3 3 0 1 0-1.300 2.500l.9.900h1.400V11h1.400v1.400h1.600v-1.700zM5.600 5.600h.01',
  webhooks: 'M4.500 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6.500 8h7M11 5.500 13.500 8 11 10.500',
  events: 'M3 4h.01M3 8h.01M3 12h.01M6 4h7.500M6 8h7.500M6 12h7.500',
  developers: 'M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500',
  team: 'M6 7a2.200 2.200 0 1 0 0-4.400A2.200 2.200 0 0 0 6 7ZM1.800 13c.3-2.400 2-3.700 4.200-3.700s3.900 1.300 4.200 3.700M10.500 2.800a2.200 2.200 0 0 1 0 4M11.800 9.500c1.400.5 2.200 1.700 2.400 3.500',
  compliance: 'M8 2.300 13 4v4c0 3-2 4.900-5 5.900C5 12.900 3 11 3 8V4zM5.800 8l1.600 1.600 2.900-3',
  activity: 'M2 8.500h2.700L6.500 4l3 8 1.700-3.500H14',
  settings:
    'M3 4.500h6M12 4.500h1M3 11.500h1M7 11.500h6M10.500 6a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3ZM5.500 13a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z',
  accounts: 'M2.500 13.500v-8l4-2.500v10.500M6.500 6.500h7v7M9 9h2M9 11.200h2M2 13.500h12M4.500 7v.01M4.500 9.500v.01',
  deposits: 'M8 2.500v7M5 6.800 8 9.800l3-3M2.500 10v3.500h11V10',
  statement: 'M3 2.500h10v11H3zM5.500 5.500h5M5.500 8h5M5.500 10.500h3',
  copy: 'M6 5.500h6.500v7.500H6zM3.500 10.500V3H10',
  check: 'M3.500 8.500 6.500 11.500 12.500 4.500',
  cross: 'M4.500 4.500l7 7M11.500 4.500l-7 7',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9ZM10.500 10.500l3 3',
  download: 'M8 2.500v7.500M5 7.500 8 10.500 11 7.500M3 13.500h10',
  plus: 'M8 3v10M3 8h10',
  down: 'M3.500 6 8 10.500 12.500 6',
  left: 'M9.500 3.500 5 8l4.500 4.500',
  right: 'M6.500 3.500 11 8l-4.500 4.500',
  warning: 'M8 2.800 14 13H2zM8 6.500v3M8 11.300h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.500V11M8 5.200h.01',
  external: 'M6.500 3.500h-3v9h9v-3M9 2.800h4.200V7M13 3 7.500 8.500',
  lock: 'M4 7.500h8V13H4zM5.700 7.500V5.300a2.300 2.300 0 0 1 4.600 0v2.200',
  sun: 'M8 10.800a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600ZM8 1.800v1.400M8 12.800v1.400M1.800 8h1.400M12.800 8h1.400M3.600 3.600l1 1M11.400 11.400l1 1M3.600 12.400l1-1M11.400 4.600l1-1',
  moon: 'M13 9.600A5.600 5.600 0 0 1 6.400 3a5.600 5.600 0 1 0 6.600 6.600Z',
  system: 'M2.500 3.500h11v7.500h-11zM6 13.500h4',
  mail: 'M2.500 4h11v8h-11zM2.800 4.400 8 8.600l5.200-4.200',
  signOut: 'M9.500 3.500h-6v9h6M7 8h6.500M11 5.500 13.500 8 11 10.500',
  table: 'M2.500 3.500h11v9h-11zM2.500 6.500h11M2.500 9.500h11M6.500 6.500v6',
} as const;

export type IconName = keyof typeof paths;

/** Always beside a word, or inside something that has a name: so it says nothing by itself. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" className="shrink-0">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.400"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
