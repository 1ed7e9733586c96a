TRUNCATE users;
