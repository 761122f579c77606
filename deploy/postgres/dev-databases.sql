CREATE DATABASE temporal;
CREATE DATABASE temporal_visibility;
CREATE DATABASE gitea;
