/** What `Later` loads. The styles of these parts are in `page.css`: only those of the first script are loaded. */
export { EditForm } from './form/edit-form.tsx';
export { UploadForm } from './form/upload-form.tsx';
export { Account } from './account.tsx';
