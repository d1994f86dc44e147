PACKAGES=[]
SOURCES=[]
def articles(a,s):pass
texts=files=articles
