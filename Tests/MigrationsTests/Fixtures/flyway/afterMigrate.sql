VACUUM users;
