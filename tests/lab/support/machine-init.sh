#!/bin/bash
# First process of a machine: makes its files its own, says so, and stays until whoever made the machine is gone.
# Arguments: host name, and folders that stay as they are on the host, wherever they lie.
set -e
mount --make-rprivate /
hostname "$1"
name=$1
shift
mount -t tmpfs tmpfs /mnt
mkdir -p /mnt/etc /mnt/etc-work /mnt/home /mnt/root
chmod 700 /mnt/root
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/etc,workdir=/mnt/etc-work /etc
echo "$name" > /etc/hostname
printf '127.0.0.1 localhost\n::1 localhost\n127.0.1.1 %s\n' "$name" > /etc/hosts
tr -d - < /proc/sys/kernel/random/uuid > /etc/machine-id
kept=0
for folder; do
  mkdir -p "/mnt/kept/$kept"
  mount --bind "$folder" "/mnt/kept/$((kept++))"
done
mount --bind /mnt/home /home
mount --bind /mnt/root /root
for folder in /run /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$folder"; done
mkdir -p /run/sshd /run/lock
kept=0
for folder; do
  test -e "$folder" || { mkdir -p "$folder" && mount --bind "/mnt/kept/$kept" "$folder"; }
  kept=$((kept + 1))
done
echo ready
while read -r _; do :; done
