/** What somebody signs up with. */
export interface NewBusiness {
  slug: string;
  name: string;
  /** Of the person. */
  fullName: string | null;
}
