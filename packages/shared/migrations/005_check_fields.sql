alter table content validate constraint content_fields_check;
