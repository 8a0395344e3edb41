/** What `Later` loads. The styles of these parts are in `page.css`: only those of the first script are loaded. */
export { EditForm } from './form/edit-form.tsx';
export { UploadForm } from './form/upload-form.tsx';
export { VisibilityNote } from './item/visibility-note.tsx';
export { Account } from './account.tsx';
export { FewerWords } from './results/fewer-words.tsx';
export { NoResults } from './results/no-results.tsx';
export { FieldFilters } from './own-fields/field-filters.tsx';
export { FieldInputs } from './own-fields/field-inputs.tsx';
export { FieldList } from './own-fields/field-list.tsx';
