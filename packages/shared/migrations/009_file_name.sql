-- The name of the file that `data` is from, which downloads get; null without one.
alter table content
  add column file_name text,
  add constraint content_file_name_check check (char_length(file_name) between 1 and 255) not valid;
