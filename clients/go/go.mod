module pestle

go 1.18
