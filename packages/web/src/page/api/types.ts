/** The bodies of the API that the page uses. */
export type Highlights = { name?: string[]; description?: string[]; tags?: string[] };

export type ContentItem = {
  contentId: number;
  creatorId: number;
  creatorName: string;
  data: string;
  name: string;
  description: string;
  version: number;
  downloadsCount: number;
  latestDownloadsCount: number;
  avgRating: number;
  createdAt: string;
  updatedAt: string;
  tags?: string[];
  highlights?: Highlights;
};

export type Change = { from: string; to: string };
export type Interpretation = { corrected: Change[]; split: Change[]; missing: string[] };
export type ContentPage = { content: ContentItem[]; totalElements: number; totalPages: number; interpretation?: Interpretation };

export type Facets = {
  facets: {
    tags: { values: { tag: string; count: number }[]; other: number };
    creators: { values: { creatorId: number; creatorName: string; count: number }[] };
    ratings: { values: { stars: number; count: number }[] };
    downloads: { values: { min: number; max: number; count: number }[] };
  };
};

export type Suggestions = { completions: { text: string; type: 'tag' | 'name' }[]; correction?: string };
export type IndexStatus = { status: 'pending' | 'indexed' | 'rejected' | 'dropped' };

export type Upload = {
  creatorId: number;
  name: string;
  description: string;
  version: number;
  data: string;
  tags?: string[];
  thumbnail?: string;
};
export type Edit = Partial<Omit<Upload, 'creatorId' | 'thumbnail'>> & { thumbnail?: string | null };

export type ErrorDetail = { pointer?: string; parameter?: string; detail: string };
export type Problem = { detail: string; errors?: ErrorDetail[] };
