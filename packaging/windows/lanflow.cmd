@"%~dp0..\node\node.exe" "%~dp0..\dist\cli\index.js" %*
