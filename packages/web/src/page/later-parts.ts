/** What `Later` loads. The styles of these parts are in `page.css`: only those of the first script are loaded. */
export { EditForm } from './form/edit-form.tsx';
export { UploadForm } from './form/upload-form.tsx';
export { resumeDeletion } from './item/delete-later.ts';
export { ItemDetails } from './item/item-details.tsx';
export { OfferDialog } from './token/offer-dialog.tsx';
export { RefusedDialog } from './token/refused-dialog.tsx';
export { Welcome } from './token/welcome.tsx';
export { Account } from './account.tsx';
export { CreatorHead } from './results/creator-head.tsx';
export { Front } from './results/front.tsx';
export { FewerWords } from './results/fewer-words.tsx';
export { Pages } from './results/pages.tsx';
export { CutNote, PromptNote } from './results/prompt-note.tsx';
export { NeighbourButtons } from './item/neighbour-buttons.tsx';
export { NoResults } from './results/no-results.tsx';
export { FieldFilters } from './own-fields/field-filters.tsx';
export { FieldInputs } from './own-fields/field-inputs.tsx';
export { FieldList } from './own-fields/field-list.tsx';
