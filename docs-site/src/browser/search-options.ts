/** A section of a page. Its id is its address. */
export interface Found {
  id: string;
  title: string;
  heading: string;
  text: string;
}

/** The index is written at the build and read in the browser, by the same rules. */
export const searchOptions = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'text'],
  searchOptions: { prefix: true, fuzzy: 0.15, boost: { title: 4, heading: 3 }, combineWith: 'AND' as const },
};
