"""Test without waiting: sessions in logical time, drivers in virtual time, and a frontend that follows a recording."""
