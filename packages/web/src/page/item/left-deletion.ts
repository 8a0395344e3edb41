/** Where the tab keeps a deletion that could not be sent when the page was left. */
export const LEFT_DELETION = 'deletion';
