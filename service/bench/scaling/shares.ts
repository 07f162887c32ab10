/** One partner of the cell that is measured has this part of its traffic, and the others the rest. */
export const hotShare = 0.3;
export const measuredPartners = 200;

/** The first has a part of its own, and the others share the rest. */
export function sharesWithOne(share: number, partners: number): number[] {
  return Array.from({ length: partners }, (_, partner) => (partner === 0 ? share : (1 - share) / (partners - 1)));
}
