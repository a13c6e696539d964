; Discovery of other machines (mDNS) and the tasks of this one are answered by the Node that comes with the app. Without these
; rules Windows would ask when the first task starts, and refuse while nobody answers.
!define LANFLOW_NODE "$INSTDIR\resources\lanflow\node\node.exe"

!macro customInstall
  nsExec::ExecToLog 'netsh advfirewall firewall delete rule name="Lanflow discovery"'
  nsExec::ExecToLog 'netsh advfirewall firewall delete rule name="Lanflow tasks"'
  nsExec::ExecToLog 'netsh advfirewall firewall add rule name="Lanflow discovery" dir=in action=allow program="${LANFLOW_NODE}" protocol=UDP localport=5353 profile=private,domain'
  nsExec::ExecToLog 'netsh advfirewall firewall add rule name="Lanflow tasks" dir=in action=allow program="${LANFLOW_NODE}" protocol=TCP profile=private,domain'
!macroend

!macro customUnInstall
  nsExec::ExecToLog 'netsh advfirewall firewall delete rule name="Lanflow discovery"'
  nsExec::ExecToLog 'netsh advfirewall firewall delete rule name="Lanflow tasks"'
!macroend
